import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { query } from '../harness/database.js';
import { useService } from '../harness/service.js';

const service = useService();

const RECORDS = 160;

/** Changes of the first record. They precede the first events of all records in the log. */
const CHANGES = 12;

const TARGET = 'https://repo.example.org/large';
const WITH_TARGET = 60;

/** Largest growth of the process for one page, which has 1 MiB of values and a record, in MB. */
const MOST_MB = 100;

const rss = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

// 100 alternates of 16,000 bytes in each record, the most that the API accepts: 256 MB together.
beforeAll(async () => {
  await query(
    service.database.url,
    `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event, target, alternate_ids)
     SELECT (SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), 'anonymous', 2, true, CASE WHEN n <= ${WITH_TARGET} THEN '${TARGET}' END,
       array_fill('demo:' || repeat('a', 15995), ARRAY[100])
     FROM generate_series(1, ${RECORDS}) n`,
  );
  await query(
    service.database.url,
    `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
     SELECT 1, i.naming_authority_id, i.id, v + 1, 'changed', 'anonymous', '[{"op":"add","path":"/target","value":"' || repeat('a', 1600000) || '"}]'
     FROM (SELECT id, naming_authority_id FROM identifier ORDER BY id LIMIT 1) i, generate_series(1, ${CHANGES}) v`,
  );
});

/** Reads a text and measures how much the process grows meanwhile. */
async function read(path: string): Promise<{ text: string; grownMb: number }> {
  const idle = rss();
  let highest = idle;
  const watch = setInterval(() => (highest = Math.max(highest, rss())), 20);
  const answer = await fetch(service.server.url + path);
  expect(answer.status).toBe(200);
  const text = await answer.text();
  clearInterval(watch);
  return { text, grownMb: highest - idle };
}

describe('a page of large records', () => {
  const history = async () => {
    const [first] = await query<{ name: string }>(
      service.database.url,
      "SELECT '100.102/' || guid AS name FROM identifier ORDER BY id LIMIT 1",
    );
    return `/identifiers/${first!.name.replaceAll('-', '').toUpperCase()}/history`;
  };

  it.each<[string, () => Promise<string>, string]>([
    ['GET /identifiers', () => Promise.resolve('/identifiers'), 'cursor'],
    ['GET /events', () => Promise.resolve('/events'), 'cursor'],
    ['the history of an identifier', history, 'cursor'],
  ])('of %s ends early, and the next one continues', async (_, path, parameter) => {
    const base = `${await path()}?limit=1000`;
    const first = await read(base);
    process.stderr.write(
      `${Math.round(first.text.length / 1e6)} MB of ${base}: ${Math.round(first.grownMb)} MB more\n`,
    );
    const { items, next } = JSON.parse(first.text);
    expect(items.length).toBeGreaterThan(0);
    expect(items.length).toBeLessThan(20);
    const more = JSON.parse((await read(`${base}&${parameter}=${encodeURIComponent(next)}`)).text).items;
    const names = [...items, ...more].map(({ identifier, version }) => `${identifier} ${version}`);
    expect(new Set(names).size).toBe(names.length);
    expect(first.grownMb).toBeLessThan(MOST_MB);
  });

  it('of events that are the records themselves ends early too, and PostgreSQL builds no more of them', async () => {
    const [seen, spilled] = [
      new Set<string>(),
      async () => {
        const [row] = await query<{ bytes: string }>(
          service.database.url,
          'SELECT temp_bytes AS bytes FROM pg_stat_database WHERE datname = current_database()',
        );
        return Number(row!.bytes);
      },
    ] as const;
    let after = '';
    const before = await spilled();
    for (let pages = 0; seen.size < 8; pages++) {
      expect(pages).toBeLessThan(60);
      const { text, grownMb } = await read(`/events?limit=1000${after}`);
      const { items, next } = JSON.parse(text);
      after = `&cursor=${encodeURIComponent(next)}`;
      for (const { kind, identifier } of items) if (kind === 'minted') seen.add(identifier);
      expect(items.length).toBeLessThan(20);
      expect(grownMb).toBeLessThan(MOST_MB);
    }
    await pause(1500);
    expect((await spilled()) - before).toBeLessThan(100_000_000);
  });

  it('of an export is written in parts, and none is missing', async () => {
    const idle = rss();
    let [highest, lines] = [idle, 0];
    const answer = await fetch(`${service.server.url}/identifiers/export?target=${TARGET}`);
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
      highest = Math.max(highest, rss());
      for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines += 1;
    }
    process.stderr.write(`export: ${Math.round(highest - idle)} MB more\n`);
    expect(lines).toBe(WITH_TARGET);
    expect(highest - idle).toBeLessThan(MOST_MB);
  });
});
