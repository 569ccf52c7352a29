import { Agent, get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { useService } from '../harness/service.js';
import { PATIENT } from '../harness/stalls.js';

const service = useService(PATIENT);
const agent = new Agent({ maxSockets: Infinity });

const REQUESTS = 400;
/** Requests of one client that run or wait. */
const ADMITTED = 260;

const paths = {
  feed: '/events?limit=1000',
  reversed: '/events?limit=1000&sort=-at',
  authorities: '/naming-authorities?limit=1000',
  settings: '/naming-authorities/100.102/history?limit=1000',
  keys: '/api-keys?limit=1000',
  history: '',
};

beforeAll(async () => {
  const { body } = await service.client.mint();
  paths.history = `/identifiers/${body.identifier as string}/history?limit=1000`;
});

afterAll(() => {
  agent.destroy();
});

interface Reply {
  readonly status: number;
  readonly text: string;
}

function read(path: string, headers: Record<string, string> = {}): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = get(service.server.url + path, { agent, headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk: Buffer) => (text += chunk.toString()));
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, text });
      });
    });
    sent.on('error', reject);
  });
}

/** Lets every read of the tables wait until it is released. */
async function lockTables(): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: service.database.url });
  holder.on('error', () => {});
  await holder.connect();
  await holder.query('BEGIN; LOCK TABLE identifier, change, api_key, naming_authority IN ACCESS EXCLUSIVE MODE');
  return () => holder.end();
}

async function until(happened: () => boolean): Promise<void> {
  for (const end = Date.now() + 9000; Date.now() < end && !happened();) await pause(25);
}

describe('many requests at once of one client', () => {
  it.each(Object.keys(paths) as (keyof typeof paths)[])(
    'are rejected before their pages are read, except for a few hundred: %s',
    async (name) => {
      expect((await read(paths[name])).status).toBe(200);
      const release = await lockTables();
      const early: Reply[] = [];
      const all = Array.from({ length: REQUESTS }, async () => {
        const reply = await read(paths[name]);
        early.push(reply);
        return reply;
      });
      await until(() => early.length >= REQUESTS - ADMITTED);
      const rejected = [...early];
      await release();
      expect(new Set(rejected.map(({ status }) => status))).toEqual(new Set([429]));
      expect(rejected.length).toBeGreaterThanOrEqual(REQUESTS - ADMITTED);
      expect(rejected[0]?.text).toContain('Of one client, at most 4 such requests are served at once');
      const served = (await Promise.all(all)).filter(({ status }) => status === 200);
      expect(served.length).toBeGreaterThanOrEqual(4);
      for (const { text } of served) expect(JSON.parse(text).items).not.toBeUndefined();
    },
  );
});

describe('requests that wait for an event', () => {
  const nextId = async (query: string): Promise<string> =>
    JSON.parse((await read(`/events?${query}`)).text).next as string;

  it('do not prevent other reads of the same client', async () => {
    const cursor = await nextId('cursor=latest');
    const polls = Array.from({ length: 20 }, () => read(`/events?wait=60&cursor=${cursor}`));
    const streams = Array.from(
      { length: 20 },
      () =>
        new Promise<void>((resolve) => {
          get(`${service.server.url}/events?cursor=${cursor}`, { agent, headers: { accept: 'text/event-stream' } })
            .on('error', () => {})
            .on('response', (answer) => {
              answer.on('data', (piece: Buffer) => {
                if (!piece.toString().includes('event: ')) return;
                answer.destroy();
                resolve();
              });
            });
        }),
    );
    await pause(500);
    expect((await read('/events?limit=1000')).status).toBe(200);
    expect((await read('/identifiers')).status).toBe(200);
    expect((await service.client.mint()).status).toBe(201);
    for (const { status, text } of await Promise.all(polls)) {
      expect([status, JSON.parse(text).items.length]).toEqual([200, 1]);
    }
    await Promise.all(streams);
  });
});
