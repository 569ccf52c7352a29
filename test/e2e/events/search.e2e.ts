import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { query } from '../harness/database.js';
import { type SeenEvent, readLog } from '../harness/log-reader.js';
import { useService } from '../harness/service.js';

// Real: a log in which another naming authority has so many events that a request reads a part of them only.

const service = useService();

const POSITION = 'pg_current_xact_id()::text::bigint + (SELECT value FROM log_offset)';
const FOREIGN = "(SELECT id FROM naming_authority WHERE prefix = '2000.01')";

const namesOf = (events: readonly SeenEvent[]) => events.map(({ identifier }) => identifier);
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const events = async (parameters: Record<string, string>) => {
  const { status, body } = await service.client.get(`/events?${new URLSearchParams(parameters).toString()}`);
  expect(status).toBe(200);
  return body as { items: SeenEvent[]; next: string; end: boolean };
};

/** Events of 2000.01: some are identifiers, the others are changes, as after a load and a change of its targets. */
async function appendForeign(identifiers: number, changes: number): Promise<void> {
  await query(
    service.database.url,
    `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event)
     SELECT ${FOREIGN}, gen_random_uuid(), 'other', ${POSITION}, true FROM generate_series(1, $1::int)`,
    [identifiers],
  );
  await query(
    service.database.url,
    `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
     SELECT ${POSITION}, ${FOREIGN}, 10000000 + n + (SELECT count(*) FROM change), 2, 'changed', 'other', '[]'
     FROM generate_series(1, $1::int) n`,
    [changes],
  );
}

/** The place after 100,000 foreign events, behind which there is one of our own. */
let start: string;
let behind: string;

beforeAll(async () => {
  start = (await readLog(service.client)).next;
  await appendForeign(50_000, 50_000);
  behind = await mint();
});

describe('a filter of GET /events', () => {
  it('finds an event behind 100,000 of another naming authority by one request that does not wait', async () => {
    const page = await events({ namingAuthority: '100.102', cursor: start });
    expect(namesOf(page.items)).toEqual([behind]);
    expect(page.end).toBe(true);
  });

  it('says at the end of the log that there is nothing more, after 100,000 that do not match', async () => {
    const { items, end } = await events({ namingAuthority: '100.102', kind: 'withdrawn', cursor: start });
    expect([items, end]).toEqual([[], true]);
  });

  it('is by kind and by client too, and all filters must match', async () => {
    const page = await events({ kind: 'created', limit: '10' });
    expect(page.items.map(({ namingAuthority, kind }) => [namingAuthority, kind])).toEqual([
      ['100.102', 'created'],
      ['2000.01', 'created'],
    ]);
    expect(namesOf((await events({ client: 'anonymous' })).items)).toEqual([behind]);
    const counted = async (parameters: Record<string, string>) =>
      (await events({ ...parameters, limit: '1000' })).items.length;
    expect(await counted({ client: 'other', kind: 'changed' })).toBe(1000);
    expect(await counted({ client: 'other', kind: 'changed', namingAuthority: '100.102' })).toBe(0);
  });

  it('fills pages, also where few events match', async () => {
    const own = [behind];
    for (let n = 0; n < 6; n++) {
      await appendForeign(0, 2000);
      own.push(await mint());
    }
    const pages: unknown[] = [];
    for (let [cursor, end] = [start, false]; !end;) {
      const page = await events({ namingAuthority: '100.102', limit: '3', cursor });
      pages.push([namesOf(page.items), page.end]);
      [cursor, end] = [page.next, page.end];
    }
    expect(pages).toEqual([
      [own.slice(0, 3), false],
      [own.slice(3, 6), false],
      [own.slice(6), true],
    ]);
  });

  it('gives an empty page and a cursor that advances where the search ends before the log, and not the end', async () => {
    const { next: before } = await readLog(service.client, (await events({ cursor: 'latest' })).next);
    await appendForeign(0, 250_000);
    const last = await mint();
    const first = await events({ namingAuthority: '100.102', cursor: before });
    expect([first.items, first.end]).toEqual([[], false]);
    expect(first.next).not.toBe(before);
    const second = await events({ namingAuthority: '100.102', cursor: first.next });
    expect([namesOf(second.items), second.end]).toEqual([[last], true]);
    // A stream goes on by itself.
    const stream = await fetch(`${service.server.url}/events?namingAuthority=100.102&cursor=${before}`, {
      headers: { accept: 'text/event-stream' },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = '';
    while (!text.includes(last)) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(text.match(/^event: .*$/gm)).toEqual(['event: minted']);
  });
});

describe('a filter of a naming authority that does not exist', () => {
  it('reaches the end of a long log at once, and the cursor finds the events of one that is created later', async () => {
    const namingAuthority = '100.102.77';
    const newest = await events({ namingAuthority, sort: '-at' });
    expect([newest.items, newest.end]).toEqual([[], true]);
    const { items, next, end } = await events({ namingAuthority, cursor: start });
    expect([items, end]).toEqual([[], true]);
    expect((await service.client.post('/naming-authorities', { namingAuthority })).status).toBe(201);
    const identifier = await mint({ namingAuthority });
    const later = await events({ namingAuthority, cursor: next });
    expect([later.items.length, namesOf(later.items).at(-1), later.end]).toEqual([2, identifier, true]);
    const older = await events({ namingAuthority, sort: '-at', cursor: newest.next });
    expect([older.items, older.end]).toEqual([[], true]);
  });
});

describe('cursor=latest', () => {
  it('is the present end of the log, for pages, long polls and streams', async () => {
    const { items, next, end } = await events({ cursor: 'latest' });
    expect([items, end]).toEqual([[], true]);
    const waiting = events({ cursor: 'latest', wait: '30' });
    const stream = await fetch(`${service.server.url}/events?cursor=latest`, {
      headers: { accept: 'text/event-stream' },
    });
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let { value: text = '' } = await reader.read();
    // The ID to which a browser returns that loses the connection before the first event.
    const [, id = ''] = /^retry: \d+\nid: (\S+)\n\n$/.exec(text) ?? [];
    expect(id).toBe(next);
    await pause(500);
    const minted = await mint();
    expect(namesOf((await waiting).items)).toEqual([minted]);
    expect(namesOf((await events({ cursor: next })).items)).toEqual([minted]);
    while (!text.includes(minted)) text += (await reader.read()).value ?? '';
    await reader.cancel();
    expect(text.match(/^event: .*$/gm)).toEqual(['event: minted']);
    const resumed = await fetch(`${service.server.url}/events?cursor=latest`, {
      headers: { accept: 'text/event-stream', 'last-event-id': id },
    });
    const again = resumed.body!.pipeThrough(new TextDecoderStream()).getReader();
    expect((await again.read()).value).toContain(minted);
    await again.cancel();
  });
});
