import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { readLog } from '../harness/log-reader.js';
import { useService } from '../harness/service.js';

let pool: pg.Pool;
afterAll(() => pool.end());

const service = useService();
beforeAll(() => {
  pool = new pg.Pool({ connectionString: service.database.url });
});

/** An event of a stream. */
interface StreamedEvent {
  readonly id: string;
  readonly event: string;
  readonly data: any;
}

/** Opens the stream, and reads events from it one by one. */
async function openStream(query = '', headers: Record<string, string> = {}) {
  const hangUp = new AbortController();
  const answer = await fetch(`${service.server.url}/events${query}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: hangUp.signal,
  });
  const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  const next = async (): Promise<StreamedEvent> => {
    for (;;) {
      const found = /(?:^|\n)id: (.*)\nevent: (.*)\ndata: (.*)\n\n/.exec(text);
      if (found !== null) {
        text = text.slice(found.index + found[0].length);
        return { id: found[1]!, event: found[2]!, data: JSON.parse(found[3]!) };
      }
      const { value, done } = await reader.read();
      if (done) throw new Error('the stream has ended');
      text += value;
    }
  };
  const close = () => {
    hangUp.abort();
  };
  return { answer, next, close };
}

describe('GET /events as text/event-stream', () => {
  it('streams past and new events, each with the cursor of /events', async () => {
    const first = (await service.client.mint()).body.identifier;
    const stream = await openStream('?namingAuthority=100.102');
    expect(stream.answer.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.answer.headers.get('cache-control')).toBe('no-store');
    expect((await stream.next()).event).toBe('created');
    expect((await stream.next()).data.identifier).toBe(first);
    const second = (await service.client.mint()).body.identifier;
    const event = await stream.next();
    const { events } = await readLog(service.client);
    expect(event).toEqual({ id: events.at(-1)!.id, event: 'minted', data: events.at(-1) });
    expect(event.data.identifier).toBe(second);
    stream.close();
  });

  it('continues after Last-Event-ID, with any `after`', async () => {
    for (let n = 0; n < 4; n++) await service.client.mint();
    const { events } = await readLog(service.client);
    const query = `?cursor=${events[0]!.id}&limit=2`;
    const stream = await openStream(query, { 'last-event-id': events.at(-4)!.id });
    for (const { id } of events.slice(-3)) expect((await stream.next()).id).toBe(id);
    stream.close();
    // A request for a page has no use for the header.
    const { body } = await service.client.get(`/events${query}`, { 'last-event-id': events.at(-4)!.id });
    expect(body.items).toEqual(events.slice(1, 3));
  });

  it('brings sixty events in pages of two', async () => {
    const { next } = await readLog(service.client);
    const minted = await Promise.all(
      Array.from({ length: 60 }, async () => (await service.client.mint()).body.identifier),
    );
    const stream = await openStream(`?cursor=${next}&limit=2`);
    const streamed: unknown[] = [];
    while (streamed.length < 60) streamed.push((await stream.next()).data.identifier);
    expect([...streamed].sort()).toEqual(minted.sort());
    stream.close();
  });

  it('returns a problem instead of a stream for a cursor of another origin', async () => {
    const headers = { accept: 'text/event-stream', 'last-event-id': 'x' };
    const answer = await service.client.get('/events', headers);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_CURSOR']);
    expect(answer.body.errors[0].header).toBe('Last-Event-ID');
  });

  it('sends no queries after the clients have disconnected', async () => {
    const { next } = await readLog(service.client);
    const looks = async () => {
      // PostgreSQL writes its statistics once a second.
      await pause(1100);
      const { rows } = await pool.query<{ n: number }>(
        'SELECT xact_commit::int AS n FROM pg_stat_database WHERE datname = current_database()',
      );
      return rows[0]!.n;
    };
    const streams = await Promise.all(Array.from({ length: 20 }, () => openStream(`?cursor=${next}`)));
    const before = await looks();
    let polls = 0;
    for (let attempt = 0; attempt < 6 && polls <= 5; attempt++) polls = (await looks()) - before;
    expect(polls).toBeGreaterThan(5);
    for (const { close } of streams) close();
    // Statistics are late on a busy machine; polls that went on would be 10 a second for ever.
    let queries = Infinity;
    for (let attempt = 0; attempt < 5 && queries >= 5; attempt++) {
      await looks();
      const [after, later] = [await looks(), await looks()];
      queries = later - after;
    }
    expect(queries).toBeLessThan(5);
  });
});
