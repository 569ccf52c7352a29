import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PATH, total } from '../harness/bulk.js';
import { CHANGES } from '../harness/changes.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';
import { openStream } from '../harness/stream.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY });

async function createKey(fields: object = {}): Promise<{ headers: Record<string, string>; id: string }> {
  const { status, body } = await service.client.post(
    '/api-keys',
    { client: 'repository', namingAuthorities: null, scopes: ['mint', 'read'], ...fields },
    ADMIN,
  );
  expect(status).toBe(201);
  return { headers: bearer(body.secret as string), id: body.id as string };
}

/** Revokes a key on the service that has its streams, where this takes effect at once. */
async function revoke(id: string): Promise<void> {
  expect((await service.client.send('DELETE', `/api-keys/${id}`, ADMIN)).status).toBe(204);
}

const ENDED = { status: 401, problem: { code: 'UNAUTHENTICATED' }, final: true };

describe('a key that is revoked while its stream lasts', () => {
  it('ends a bulk at the next chunk with a problem line, and mints nothing more', async () => {
    const { headers, id } = await createKey();
    const stream = openStream(service.server.url + PATH, headers);
    stream.request.write('{}\n{}\n');
    for (const line of [1, 2]) expect((await stream.lines.next()).value).toMatchObject({ line, status: 201 });
    await revoke(id);
    const before = await total(service.database.url);
    stream.request.write('{}\n{}\n');
    expect((await stream.lines.next()).value).toMatchObject({ line: 3, ...ENDED });
    stream.request.end();
    expect((await stream.lines.next()).done).toBe(true);
    expect(await total(service.database.url)).toBe(before);
  });

  it('ends a stream of changes at the next chunk with a problem line, and changes nothing more', async () => {
    const { headers, id } = await createKey({ scopes: ['curate'] });
    const identifier = (await service.client.mint({}, ADMIN)).body.identifier as string;
    const stream = openStream(service.server.url + CHANGES, headers);
    // A chunk ends with its line 100.
    const chunk = (target: string) => `${'\n'.repeat(99)}${JSON.stringify({ identifier, target })}\n`;
    stream.request.write(chunk('https://repo.example.org/1'));
    expect((await stream.lines.next()).value).toMatchObject({ line: 100, outcome: 'changed', version: 2 });
    await revoke(id);
    stream.request.write(chunk('https://repo.example.org/2'));
    expect((await stream.lines.next()).value).toMatchObject({ line: 101, ...ENDED });
    stream.request.end();
    expect((await stream.lines.next()).done).toBe(true);
    expect((await service.client.get(`/identifiers/${identifier}`, ADMIN)).body.version).toBe(2);
  });

  it('ends an import at the next chunk with a problem line', async () => {
    const { headers, id } = await createKey({ scopes: ['admin'] });
    const stream = openStream(`${service.server.url}/identifiers/import`, headers);
    const line = () =>
      `${JSON.stringify({ identifier: `100.102/${freshGuid()}`, state: 'active', version: 1, createdAt: '2020-01-01T00:00:00Z', updatedAt: '2020-01-01T00:00:00Z' })}\n`;
    stream.request.write(line());
    expect((await stream.lines.next()).value).toMatchObject({ line: 1, status: 201 });
    await revoke(id);
    stream.request.write(line());
    expect((await stream.lines.next()).value).toMatchObject({ line: 2, ...ENDED });
    stream.request.end();
    expect((await stream.lines.next()).done).toBe(true);
  });

  it('ends a stream of events with an event "problem" before the next event', async () => {
    const { headers, id } = await createKey();
    const mint = async () => (await service.client.mint({}, ADMIN)).body.identifier as string;
    const { body } = await service.client.get('/events?limit=500', ADMIN);
    const response = await fetch(`${service.server.url}/events?cursor=${body.next}`, {
      headers: { ...headers, accept: 'text/event-stream' },
    });
    expect(response.status).toBe(200);
    const seen = await mint();
    let text = '';
    const reading = (async () => {
      for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    })();
    while (!text.includes(seen)) await pause(50);
    await revoke(id);
    const hidden = await mint();
    await reading;
    expect(text).not.toContain(hidden);
    const [event, data] = text.trim().split('\n').slice(-2);
    expect(event).toBe('event: problem');
    expect(JSON.parse(data!.replace(/^data: /, ''))).toMatchObject(ENDED.problem);
  });

  it('returns 401 for a long poll that has waited', async () => {
    const { headers, id } = await createKey();
    const { body } = await service.client.get('/events?limit=500', ADMIN);
    const waiting = service.client.get(`/events?wait=30&cursor=${body.next}`, headers);
    await pause(300);
    await revoke(id);
    await service.client.mint({}, ADMIN);
    const answer = await waiting;
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHENTICATED']);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer .*invalid_token/);
  });

  it('ends an export with a problem line, and the response stays incomplete', async () => {
    const { headers, id } = await createKey();
    const target = `https://repo.example.org/${'x'.repeat(1900)}`;
    for (let round = 0; round < 2; round++) {
      const items = Array.from({ length: 3500 }, () => ({ target }));
      const { status } = await service.client.post(
        '/identifiers/batch',
        { namingAuthority: '100.102', items },
        { ...ADMIN, prefer: 'return=minimal' },
      );
      expect(status).toBe(200);
    }
    const request = get(`${service.server.url}/identifiers/export`, { headers });
    const [response] = (await once(request, 'response')) as [import('node:http').IncomingMessage];
    await once(response, 'readable');
    await revoke(id);
    let text = '';
    const broken = new Promise<Error>((resolve) => response.once('error', resolve));
    response.on('data', (chunk: Buffer) => (text += chunk.toString()));
    expect((await broken).message).toBe('aborted');
    const lines = text.trim().split('\n');
    expect(lines.length).toBeLessThan(7000);
    expect(JSON.parse(lines.at(-1)!)).toMatchObject({ ...ENDED, line: lines.length });
    expect('identifier' in JSON.parse(lines.at(-2)!)).toBe(true);
  });
});

describe('a key that expires while its stream lasts', () => {
  it('ends a bulk at the next chunk with a problem line', async () => {
    const open = async (ms: number) => {
      const until = Date.now() + ms;
      const { headers } = await createKey({ expiresAt: new Date(until).toISOString() });
      const stream = openStream(service.server.url + PATH, headers);
      stream.request.write('{}\n');
      const first: unknown = (await stream.lines.next()).value;
      return { stream, until, first, isLate: Date.now() >= until };
    };
    let opened = await open(1500);
    // A machine that stands still may use the key too late.
    for (let ms = 3000; opened.isLate && ms < 30_000; ms *= 2) opened = await open(ms);
    const { stream, until, first } = opened;
    expect(first).toMatchObject({ line: 1, status: 201 });
    await pause(until + 100 - Date.now());
    stream.request.write('{}\n');
    expect((await stream.lines.next()).value).toMatchObject({ line: 2, ...ENDED });
    stream.request.end();
  });
});
