import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { query } from '../harness/database.js';
import { useService } from '../harness/service.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const service = useService({ NAMING_AUTHORITIES: '100.102,2000.01,2000.02' });

const RECORDS = 150;
const CONNECTIONS = 32;

/** MB, above the idle process. */
const MOST_MB = 200;

const rss = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

/** Waits until the process uses less than 5 % of a processor, which it does when all clients have what they get unread; at most 12 s. */
async function untilIdle(): Promise<void> {
  const ticks = (): number => {
    const stat = readFileSync(`/proc/${service.server.child.pid}/stat`, 'utf8').replace(/.*\) /, '').split(' ');
    return Number(stat[11]) + Number(stat[12]);
  };
  for (let [seconds, before, now] = [0, -Infinity, 0]; seconds < 12 && now > before + 5; seconds++, now = ticks()) {
    before = ticks();
    await pause(1000);
  }
}

const names: string[] = [];

// 8 alternates of 8 KB in each record: 10 MB together.
beforeAll(async () => {
  const rows = await query<{ guid: string }>(
    service.database.url,
    `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event, alternate_ids, metadata_id, metadata_key)
     SELECT (SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), 'anonymous', 2, true,
       array_fill('demo:' || repeat('a', 7995), ARRAY[8]), 'info:fedora/meta:' || n,
       encode(substring(sha256(convert_to('info:fedora/meta:' || n, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid
     FROM generate_series(1, ${RECORDS}) n RETURNING guid`,
  );
  names.push(...rows.map(({ guid }) => `100.102/${guid.replaceAll('-', '').toUpperCase()}`));
  await (await fetch(`${service.server.url}/identifiers/export`)).text();
});

/** A client with an address of its own that sends a request. */
function send(address: number, head: string, body = ''): Socket {
  const { hostname, port } = new URL(service.server.url);
  const socket = connect({ port: Number(port), host: hostname, localAddress: `127.0.1.${address}` });
  socket.on('error', () => {});
  const length = body === '' ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  socket.write(
    `${head.split('\n')[0]} HTTP/1.1\r\nhost: localhost\r\n${head
      .split('\n')
      .slice(1)
      .map((line) => `${line}\r\n`)
      .join('')}${length}\r\n${body}`,
  );
  return socket;
}

/** How long /health/live takes on a new connection. */
async function secondsOfLive(): Promise<number> {
  const began = performance.now();
  const answer = await fetch(`${service.server.url}/health/live`, { headers: { connection: 'close' } });
  expect(answer.status).toBe(200);
  return (performance.now() - began) / 1000;
}

describe('connections that read nothing', () => {
  const lines = (of: (name: string) => object) => names.map((name) => `${JSON.stringify(of(name))}\n`).join('');
  const repeated = Array.from({ length: RECORDS }, (_, n) =>
    JSON.stringify({ metadataId: `info:fedora/meta:${n + 1}` }),
  );
  const JSON_BODY = 'content-type: application/json';
  const NDJSON = 'content-type: application/x-ndjson';
  const LINE = `${JSON.stringify({ target: `https://repo.example.org/${'x'.repeat(1900)}` })}\n`;
  const LONGEST = `${JSON.stringify({ identifier: '100.103/a', alternateIds: Array(90).fill(`hdl:10.1/${'a'.repeat(2880)}`) })}\n`;

  it.each<[string, string, () => string, number?]>([
    ['exports', 'GET /identifiers/export', () => ''],
    ['look-ups', `POST /identifiers/lookup\n${JSON_BODY}`, () => JSON.stringify({ items: names })],
    [
      'look-ups of ten',
      `POST /identifiers/lookup\n${JSON_BODY}`,
      () => JSON.stringify({ items: names.slice(0, 10) }),
      400,
    ],
    ['lists of 1,000', 'GET /identifiers?limit=1000', () => ''],
    ['bulk responses', `POST /identifiers/bulk?namingAuthority=2000.01\n${NDJSON}`, () => LINE.repeat(200), 300],
    [
      'repeated mints',
      `POST /identifiers/bulk?namingAuthority=100.102\n${NDJSON}`,
      () => repeated.map((item) => `${item}\n`).join(''),
    ],
    [
      'batches of repeated mints',
      `POST /identifiers/batch\n${JSON_BODY}`,
      () => `{"namingAuthority":"100.102","items":[${repeated.join(',')}]}`,
    ],
    ['imports', `POST /identifiers/import\n${NDJSON}`, () => lines((identifier) => ({ identifier }))],
    ['imports of the longest lines', `POST /identifiers/import\n${NDJSON}`, () => LONGEST.repeat(10), 128],
    [
      'imports of the longest rows, with two bytes for each character in memory',
      'POST /identifiers/import\ncontent-type: text/csv',
      () => `identifier,target\n${`100.102/a,${'b'.repeat(262_000)}ł\n`.repeat(10)}`,
      128,
    ],
    ['changes', `POST /identifiers/changes\n${NDJSON}`, () => lines((identifier) => ({ identifier }))],
  ])('add at most 200 MB: %s', async (kind, head, body, connections = CONNECTIONS) => {
    const idle = rss();
    let highest = idle;
    const watch = setInterval(() => (highest = Math.max(highest, rss())), 50);
    const sockets = Array.from({ length: connections }, (_, n) => send((n % 250) + 1, head, body()).pause());
    await untilIdle();
    for (const socket of sockets) socket.destroy();
    await secondsOfLive();
    clearInterval(watch);
    process.stderr.write(`${kind}: ${Math.round(highest - idle)} MB more than ${Math.round(idle)} MB\n`);
    expect(highest - idle).toBeLessThan(MOST_MB);
  });
});

describe('reads of one address that it does not read', () => {
  // 16 MB, more than the buffers of the system.
  beforeAll(async () => {
    await query(
      service.database.url,
      `INSERT INTO identifier (naming_authority_id, local_name, local_key, client, position, is_first_event)
       SELECT (SELECT id FROM naming_authority WHERE prefix = '2000.02'), repeat('a', 8000) || n, gen_random_uuid(), 'anonymous', 2, true
       FROM generate_series(1, 2000) n`,
    );
  });

  async function expectServed(address: number, head: string): Promise<void> {
    const began = performance.now();
    const socket = send(address, head);
    const [first] = (await once(socket, 'data')) as [Buffer];
    expect(first.toString('latin1').split('\r\n')[0]).toBe('HTTP/1.1 200 OK');
    expect(performance.now() - began).toBeLessThan(limitMs(2000));
    socket.destroy();
  }

  it('do not make another address wait: eight lists of handles', async () => {
    const list = 'GET /hdlresolver/listhandles/2000.02';
    const unread = Array.from({ length: 8 }, () => send(1, list).pause());
    await untilIdle();
    await expectServed(2, list);
    for (const socket of unread) socket.destroy();
  });

  it('do not make its lists, histories and events wait: four exports', async () => {
    const { body } = await service.client.mint();
    const unread = Array.from({ length: 4 }, () => send(1, 'GET /identifiers/export?namingAuthority=2000.02').pause());
    await untilIdle();
    const history = `/identifiers/${body.identifier as string}/history`;
    const lists = ['/api-keys', '/naming-authorities', '/naming-authorities/2000.02/history', history, '/events'];
    for (const path of lists) await expectServed(1, `GET ${path}`);
    for (const socket of unread) socket.destroy();
  });
});

describe('requests that are closed at once', () => {
  it('do not delay /health/live on a new connection', async () => {
    await query(
      service.database.url,
      `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event, target)
       SELECT (SELECT id FROM naming_authority WHERE prefix = '2000.01'), gen_random_uuid(), 'anonymous', 2, true, 'https://repo.example.org/' || n
       FROM generate_series(1, 1000) n`,
    );
    await undisturbed(async () => {
      const delays: Promise<number>[] = [];
      for (let i = 0; i < 200; i++) {
        const socket = send(1, 'GET /identifiers?limit=1000&namingAuthority=2000.01');
        setTimeout(() => socket.destroy(), 5);
        if (i % 50 === 49) delays.push(secondsOfLive());
        await pause(limitMs(10));
      }
      const all = await Promise.all(delays);
      process.stderr.write(`/health/live: at most ${Math.max(...all).toFixed(2)} s\n`);
      expect(Math.max(...all) * 1000).toBeLessThan(limitMs(1000));
    });
  });
});
