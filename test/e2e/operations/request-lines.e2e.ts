/** The lines of requests in the log: by them a 401, 429 or 503 is attributed to a client. */
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { runToEnd } from '../harness/server.js';
import { useService } from '../harness/service.js';

const KEY = 'correct-horse-battery-staple-correct-horse';
const WRONG_KEY = 'wrong-horse-battery-staple-wrong-horse-wrong';
const settings = { ACCESS: 'keys', ADMIN_API_KEY: KEY, TRUSTED_PROXIES: '127.0.0.1' };
const service = useService({ ...settings, RATE_LIMIT_PER_KEY_PER_MINUTE: '50' });
const whole = useService({ ...settings, LOG_ADDRESSES: 'full', LOG_LINES_PER_SECOND: '20' });
const without = useService({ ...settings, LOG_ADDRESSES: 'off' });

type Line = Record<string, unknown>;

let ids = 0;
let keyId: string;
let secret: string;

const linesOf = ({ server }: typeof service): Line[] =>
  server
    .stdout()
    .split('\n')
    .filter((line) => line.endsWith('}'))
    .map((line) => JSON.parse(line) as Line);

/** Sends a request and returns its line. */
async function lineOf(path: string, init: RequestInit = {}, of = service): Promise<Line> {
  const id = `line-${++ids}`;
  const headers = { 'x-forwarded-for': '203.0.113.77', ...(init.headers as object), 'x-request-id': id };
  const response = await fetch(of.server.url + path, { redirect: 'manual', ...init, headers });
  await response.text();
  for (let i = 0; i < 200; i++) {
    const line = linesOf(of).find(({ reqId, msg }) => reqId === id && msg === 'request');
    if (line !== undefined) return line;
    await pause(25);
  }
  throw new Error('the request was not logged');
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

beforeAll(async () => {
  const body = JSON.stringify({ client: 'reader', namingAuthorities: null, scopes: ['read'] });
  const headers = { ...bearer(KEY), 'content-type': 'application/json' };
  const response = await fetch(`${service.server.url}/api-keys`, { method: 'POST', headers, body });
  const made = (await response.json()) as { id: string; secret: string };
  keyId = made.id;
  secret = made.secret;
});

describe('the line of a request', () => {
  it('has the code, the route and the network of the client, and no rejected key', async () => {
    const line = await lineOf('/api-keys/7f0c7c0e-0000-4000-8000-000000000000', { headers: bearer(WRONG_KEY) });
    expect(line).toMatchObject({
      status: 401,
      code: 'UNAUTHENTICATED',
      route: '/api-keys/:id',
      address: '203.0.113.0',
    });
    expect(line).not.toHaveProperty('keyId');
  });

  it('names the key that was accepted, also where its scope or its rate is not enough', async () => {
    const reader = { headers: bearer(secret) };
    expect(await lineOf('/identifiers', reader)).toMatchObject({ status: 200, keyId, route: '/identifiers' });
    expect(await lineOf('/api-keys', reader)).toMatchObject({ status: 403, code: 'SCOPE_MISSING', keyId });
    const lines = await Promise.all(Array.from({ length: 80 }, () => lineOf('/identifiers', reader)));
    expect(lines.find(({ status }) => status !== 200)).toMatchObject({ status: 429, code: 'RATE_LIMITED', keyId });
    expect(await lineOf('/identifiers', { headers: bearer(KEY) })).toMatchObject({ status: 200, keyId: 'admin' });
  });

  it('counts the bytes of the request and of the response', async () => {
    const send = (length: number) =>
      lineOf('/identifiers', {
        method: 'POST',
        headers: { ...bearer(KEY), 'content-type': 'application/json' },
        body: JSON.stringify({ namingAuthority: '100.102', target: `https://a.example/${'a'.repeat(length)}` }),
      });
    const [short, long] = [await send(10), await send(1910)];
    expect(short).toMatchObject({ status: 201 });
    expect(Number(long.bytesIn) - Number(short.bytesIn)).toBeGreaterThan(1800);
    expect(Number(long.bytesIn) - Number(short.bytesIn)).toBeLessThan(2000);
    expect(Number(long.bytesOut) - Number(short.bytesOut)).toBeGreaterThan(1800);
  });

  it('has them also where the framework does not handle the request', async () => {
    const headers = { ...bearer(KEY), 'content-type': 'application/json' };
    const body = JSON.stringify({ namingAuthority: '100.102', target: 'https://a.example/' });
    const response = await fetch(`${service.server.url}/identifiers`, { method: 'POST', headers, body });
    const { identifier } = (await response.json()) as { identifier: string };
    const line = await lineOf(`/${identifier}`);
    expect(line).toMatchObject({ status: 302, address: '203.0.113.0', route: expect.stringContaining('/') });
    expect([Number(line.bytesIn) > 50, Number(line.bytesOut) > 50]).toEqual([true, true]);
  });

  it.each([
    ['2001:db8:abcd:12::1', '2001:db8:abcd::'],
    ['2001:DB8::1', '2001:db8:0::'],
    ['::ffff:198.51.100.9', '198.51.100.0'],
  ])('has the network of %s', async (address, network) => {
    expect(await lineOf('/problems', { headers: { 'x-forwarded-for': address } })).toMatchObject({ address: network });
  });

  it('has the names of parameters, and the values of those that name no person and no key', async () => {
    const { url } = await lineOf(`/events?limit=5&kind=minted&client=ada%40example.org&api_key=${WRONG_KEY}`);
    expect(url).toBe('/events?limit=5&kind=minted&client=…&api_key=…');
    expect((await lineOf('/100.102/none?ada@example.org;noredirect')).url).toBe('/100.102/none?…;noredirect');
  });
});

describe('LOG_ADDRESSES', () => {
  it('"full" has the whole address, "off" none', async () => {
    expect(await lineOf('/problems', {}, whole)).toMatchObject({ address: '203.0.113.77' });
    expect(await lineOf('/problems', {}, without)).not.toHaveProperty('address');
  });
});

describe('LOG_LINES_PER_SECOND', () => {
  it('drops the lines above it, counts them, and says so', async () => {
    await Promise.all(Array.from({ length: 400 }, () => fetch(`${whole.server.url}/problems`)));
    await pause(1050);
    await lineOf('/problems', {}, whole);
    const lines = linesOf(whole);
    const written = lines.filter(({ msg, url }) => msg === 'request' && url === '/problems').length;
    expect(written).toBeLessThan(200);
    const dropped = lines
      .filter(({ msg }) => msg === 'lines of the log were dropped')
      .reduce((sum, line) => sum + Number(line.dropped), 0);
    expect(dropped).toBeGreaterThan(200);
    const text = await (await fetch(`${whole.server.url}/metrics`, { headers: bearer(KEY) })).text();
    const [, counted] = /^mintmark_log_dropped_lines_total (\d+)$/m.exec(text) ?? [];
    expect(Number(counted)).toBe(dropped);
  });
});

describe('a start that fails', () => {
  it('has a line of JSON in the log, beside the words for people', async () => {
    const { code, stdout, stderr } = await runToEnd({
      DATABASE_URL: 'postgresql://a@127.0.0.1:1/none',
      ACCESS: 'open',
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining('Mintmark cannot start.')]);
    const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Line;
    expect(last).toMatchObject({
      level: 60,
      msg: 'Mintmark cannot start',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
  });

  it('has it also where the configuration is invalid, and not with LOG_LEVEL=silent', async () => {
    const invalid = { DATABASE_URL: 'postgresql://a@127.0.0.1:1/none', ADMIN_API_KEY: 'short' };
    const { stdout } = await runToEnd(invalid);
    expect(JSON.parse(stdout)).toMatchObject({ level: 60, reason: expect.stringContaining('ADMIN_API_KEY') });
    expect((await runToEnd({ ...invalid, LOG_LEVEL: 'silent' })).stdout).toBe('');
  });
});
