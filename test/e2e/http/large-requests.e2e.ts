import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type RawConnection, connectTo } from '../harness/raw-http.js';
import { useService } from '../harness/service.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

// Bodies that take the event loop for a second one after the other are an overload on a slow machine.
const service = useService({ OVERLOAD_EVENT_LOOP_DELAY_MS: '0' });

const post = (path: string, body: string, headers: Record<string, string> = {}) =>
  service.client.send('POST', path, { 'content-type': 'application/json', ...headers }, body);

/** Python's `json.dumps`: ", " and ": " between items and members, and ASCII only. */
const asPython = (value: unknown): string =>
  JSON.stringify(value, null, 1)
    .replace(/\n */g, ' ')
    .replace(/([[{]) | ([\]}])/g, '$1$2')
    .replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const WAYS: readonly (readonly [string, (value: unknown) => string])[] = [
  ['without white space', (value) => JSON.stringify(value)],
  ['as json.dumps of Python writes them', asPython],
  ['indented by four', (value) => JSON.stringify(value, null, 4)],
  ['indented by tabs', (value) => JSON.stringify(value, null, '\t').replaceAll('\n', '\r\n')],
];

const unknownMembers = (count: number, i: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, k) => [`k${i}_${k}`, 1]));

const open: RawConnection[] = [];

afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});

const rss = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

/** Sends a request and does not read its response until the test requests it. */
async function sendUnread(path: string, body: string, framing = `content-length: ${body.length}`) {
  const connection = await connectTo(service.server.url);
  open.push(connection);
  connection.socket.pause();
  connection.socket.write(
    `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n${framing}\r\n\r\n${body}`,
  );
  return connection;
}

/** None of the requests was rejected. */
async function expectAccepted(unread: readonly RawConnection[]): Promise<void> {
  for (const connection of unread) {
    connection.socket.resume();
    expect(await connection.until('\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /);
    connection.socket.destroy();
  }
}

/** Texts for which every URI has three characters for each character. */
const amplified = (count: number, length: number) =>
  JSON.stringify({
    items: Array.from({ length: count }, () => ({ input: `1234/${'%'.repeat(length)}`, kind: 'handle' })),
  });

describe('10,000 items', () => {
  it.each(WAYS)('of a batch are minted %s', async (_, write) => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({
      namingAuthority: '100.102',
      clientRef: `Zeile "${i}": Öl`,
      target: 'https://example.org/a',
    }));
    const answer = await post('/identifiers/batch', write({ items }));
    expect(answer.status).toBe(200);
    const results = answer.body.items.map(({ status, clientRef }: { status: number; clientRef: string }) => [
      status,
      clientRef,
    ]);
    expect(results).toEqual(items.map(({ clientRef }) => [201, clientRef]));
  });

  it.each(WAYS)('are normalized %s', async (_, write) => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({ input: `1234/ö"${i}`, kind: 'handle' }));
    const answer = await post('/normalize', write({ items }));
    expect(answer.status).toBe(200);
    expect(answer.body.items.map(({ normalized }: { normalized: string }) => normalized)).toEqual(
      items.map(({ input }) => input),
    );
  });
});

describe('another request waits less than a second', () => {
  /** The longest time of `/health/live` while a request is processed, in milliseconds. */
  async function longestWait(work: Promise<unknown>): Promise<number> {
    const state = { over: false };
    const done = work.finally(() => (state.over = true));
    let longest = 0;
    while (!state.over) {
      const sentAt = performance.now();
      expect((await service.client.get('/health/live')).status).toBe(200);
      longest = Math.max(longest, performance.now() - sentAt);
    }
    await done;
    process.stderr.write(`/health/live in at most ${longest.toFixed(0)} ms\n`);
    return longest;
  }

  it('while a body with the largest number of items and nearly 16 MiB is validated', async () => {
    // Malformed, so that the response is not ten times as long.
    const items = Array.from({ length: 10_000 }, () => ({ input: 'x'.repeat(1600), kind: 'handle' }));
    const body = JSON.stringify({ items });
    expect(body.length).toBeGreaterThan(16_000_000);
    await undisturbed(async () => {
      const sent = post('/normalize', body);
      expect(await longestWait(sent)).toBeLessThan(limitMs(1000));
      const answer = await sent;
      expect([answer.status, answer.body.items.length]).toEqual([200, 10_000]);
    });
  });

  it.each([
    ['are valid', { input: 'a' }],
    ['end with a wrong one, so that class-validator reads all', { input: 1 }],
  ])('while 256 bodies are processed whose 10,000 items %s', async (_, last) => {
    const body = JSON.stringify({ items: [...Array.from({ length: 9999 }, () => ({ input: 'a' })), last] });
    await undisturbed(async () => {
      const idle = rss();
      const sent = await Promise.all(Array.from({ length: 256 }, () => sendUnread('/normalize', body)));
      for (const { socket } of sent) socket.resume();
      const slowest = await longestWait(pause(3000));
      const growth = rss() - idle;
      for (const { socket } of sent) socket.destroy();
      process.stderr.write(`256 bodies: ${Math.round(growth)} MB above idle\n`);
      expect(slowest).toBeLessThan(limitMs(1000));
      expect(growth).toBeLessThan(200);
    });
  });

  it('while a batch of 10,000 is minted', async () => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({ namingAuthority: '100.102', clientRef: `item ${i}` }));
    await undisturbed(async () => {
      const sent = post('/identifiers/batch', JSON.stringify({ items }));
      expect(await longestWait(sent)).toBeLessThan(limitMs(1000));
      expect((await sent).status).toBe(200);
    });
  });
});

describe('a body with many faults', () => {
  it.each([
    ['items', { items: Array.from({ length: 10_000 }, () => ({ input: 1, kind: 'x', context: { profile: 1 } })) }],
    ['unknown members', { items: Array.from({ length: 1400 }, (_, i) => ({ input: 'x', ...unknownMembers(99, i) })) }],
  ])('is rejected with the first hundred of them: %s', async (_, body) => {
    const answer = await post('/normalize', JSON.stringify(body));
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.body.errors).toHaveLength(100);
    expect(answer.body.errors[0].pointer).toMatch(/^\/items\/0\//);
  });

  it('keeps the indexes of its items: only the last is wrong', async () => {
    const items = Array.from({ length: 10_000 }, (_, i) => ({ input: i === 9999 ? 1 : 'x' }));
    const answer = await post('/normalize', JSON.stringify({ items }));
    expect(answer.body.errors).toEqual([expect.objectContaining({ pointer: '/items/9999/input' })]);
  });

  it.each(['perItem', 'atomic'])('has few faults of each item of a batch, and a hundred in all: %s', async (mode) => {
    const items = Array.from({ length: 1000 }, (_, i) => unknownMembers(99, i));
    const answer = await post(`/identifiers/batch?mode=${mode}`, JSON.stringify({ namingAuthority: '100.102', items }));
    const lists =
      mode === 'atomic' ? [answer.body.errors] : answer.body.items.map(({ problem }: any) => problem.errors);
    const [expected, count] = mode === 'atomic' ? [100, 1] : [3, 1000];
    expect(lists.map((list: unknown[]) => list.length)).toEqual(Array(count).fill(expected));
  });

  it('that is an array of a million numbers is no object', async () => {
    const answer = await post('/normalize', `[${'1,'.repeat(1_000_000)}1]`);
    const errors = [{ pointer: '', detail: expect.stringContaining('the list as its member "items"') }];
    expect([answer.status, answer.body.code, answer.body.errors]).toEqual([400, 'INVALID_REQUEST', errors]);
  });
});

describe('a response that is longer than its request', () => {
  it('is generated while it is read: twelve clients that do not read use less than 150 MB', async () => {
    // Below the size at which an address may have only four at once; each response has 10 MB and more.
    const body = amplified(8000, 80);
    expect((await post('/normalize', body)).text.length).toBeGreaterThan(10_000_000);
    const idle = rss();
    const unread = await Promise.all(Array.from({ length: 12 }, () => sendUnread('/normalize', body)));
    let highest = idle;
    const until = performance.now() + 3000;
    while (performance.now() < until) {
      await service.client.get('/health/live');
      highest = Math.max(highest, rss());
    }
    process.stderr.write(`12 unread responses: ${Math.round(highest - idle)} MB above idle\n`);
    expect(highest - idle).toBeLessThan(150);
    await expectAccepted(unread);
  });

  it('of 256 connections that do not read use less than 200 MB, and delay no health check by a second', async () => {
    // Each "é" of the text has six characters in each URI of the response.
    const body = JSON.stringify({ items: [{ input: `200.1/${'é'.repeat(32_000)}` }] });
    const framing = `content-length: ${Buffer.byteLength(body)}`;
    const idle = rss();
    const unread = await Promise.all(Array.from({ length: 256 }, () => sendUnread('/normalize', body, framing)));
    let [highest, slowest] = [idle, 0];
    const until = performance.now() + 5000;
    while (performance.now() < until) {
      const since = performance.now();
      expect((await service.client.get('/health/live')).status).toBe(200);
      slowest = Math.max(slowest, performance.now() - since);
      highest = Math.max(highest, rss());
    }
    for (const { socket } of unread) socket.destroy();
    process.stderr.write(`256 unread responses: ${Math.round(highest - idle)} MB, ${Math.round(slowest)} ms\n`);
    expect(highest - idle).toBeLessThan(200);
    expect(slowest).toBeLessThan(limitMs(1000));
    expect((await post('/normalize', amplified(2000, 30))).status).toBe(200);
  });

  it('ends with a newline, as short ones do', async () => {
    for (const body of [amplified(1, 10), amplified(2000, 300)]) {
      expect((await post('/normalize', body)).text).toMatch(/\]\}\n$/);
    }
  });

  it('is whole for a client that reads late', async () => {
    const connection = await sendUnread('/normalize', amplified(2000, 300));
    await service.client.get('/health/live');
    connection.socket.resume();
    const received = await connection.until('\r\n0\r\n\r\n', 20_000);
    expect(received.match(/"valid":true/g)).toHaveLength(2000);
  });

  it('has no input of more than 32,768 characters', async () => {
    const item = (length: number) => JSON.stringify({ items: [{ input: 'x'.repeat(length) }] });
    expect((await post('/normalize', item(32_768))).status).toBe(200);
    const rejected = await post('/normalize', item(32_769));
    expect([rejected.status, rejected.body.errors[0].pointer]).toEqual([400, '/items/0/input']);
  });

  it('of a look-up is generated while it is read too', async () => {
    const alternateIds = Array.from({ length: 32 }, (_, i) => `1234/${String(i)}${'x'.repeat(2000)}`);
    const minted = await service.client.mint({ alternateIds });
    expect(minted.status).toBe(201);
    const body = JSON.stringify({ items: Array.from({ length: 1000 }, () => minted.body.identifier as string) });
    const idle = rss();
    const unread = await Promise.all(Array.from({ length: 3 }, () => sendUnread('/identifiers/lookup', body)));
    let highest = idle;
    const until = performance.now() + 3000;
    while (performance.now() < until) {
      await service.client.get('/health/live');
      highest = Math.max(highest, rss());
    }
    process.stderr.write(`3 unread look-ups of 1,000 records of 64 KB: ${Math.round(highest - idle)} MB above idle\n`);
    expect(highest - idle).toBeLessThan(200);
    await expectAccepted(unread);
  });
});
