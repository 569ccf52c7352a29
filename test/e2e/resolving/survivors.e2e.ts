import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { freshGuid } from '../harness/fresh-names.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const TARGET = 'https://repo.example.org/objects/7';

const get = (target: string, headers: Record<string, string> = {}, method = 'GET') =>
  exchange(service.server.url, target, { headers, method });

async function mint(fields: object = {}): Promise<string> {
  const { status, body } = await service.client.mint({ target: TARGET, ...fields });
  expect(status).toBe(201);
  return body.identifier as string;
}

async function withdraw(identifier: string, fields: object): Promise<void> {
  const path = `/identifiers/${encodeURIComponent(identifier)}/withdraw`;
  expect((await service.client.post(path, { reason: 'Deposited twice.', ...fields })).status).toBe(200);
}

async function change(identifier: string, fields: object): Promise<void> {
  const path = `/identifiers/${identifier}`;
  const tag = (await service.client.get(path)).headers.get('etag') ?? '';
  const headers = { 'content-type': 'application/json', 'if-match': tag };
  expect((await service.client.send('PATCH', path, headers, JSON.stringify(fields))).status).toBe(200);
}

/** A duplicate of `replacedBy`. */
async function duplicateOf(replacedBy: string, reasonCode = 'duplicate'): Promise<string> {
  const identifier = await mint({ target: 'https://repo.example.org/second' });
  await withdraw(identifier, { reasonCode, replacedBy });
  return identifier;
}

/** Identifiers, each of which is a duplicate of the next one. The last one is active. */
async function chain(steps: number): Promise<readonly string[]> {
  const names = await Promise.all(Array.from({ length: steps + 1 }, () => mint()));
  for (const [index, replacedBy] of names.slice(1).entries())
    await withdraw(names[index]!, { reasonCode: 'duplicate', replacedBy });
  return names;
}

/** Registers a duplicate of a name that need not be active. */
async function importDuplicate(identifier: string, replacedBy: string): Promise<void> {
  const tombstone = { withdrawnAt: '2026-11-20T09:30:00Z', reasonCode: 'duplicate', reason: 'Twice.', replacedBy };
  const line = JSON.stringify({ identifier, state: 'withdrawn', target: TARGET, tombstone });
  const headers = { 'content-type': 'application/x-ndjson' };
  const { text } = await service.client.send('POST', '/identifiers/import', headers, `${line}\n`);
  expect(text).toContain('"outcome":"imported"');
}

describe('a duplicate', () => {
  let [survivor, duplicate] = ['', ''];

  beforeAll(async () => {
    survivor = await mint();
    duplicate = await duplicateOf(survivor);
  });

  it('is redirected to the target of what replaces it, which no cache stores under its name', async () => {
    for (const [method, accept] of [
      ['GET', 'text/html'],
      ['HEAD', '*/*'],
      ['GET', 'application/json'],
      ['POST', '*/*'],
    ] as const) {
      const { status, headers, text } = await get(`/${duplicate}`, { accept }, method);
      expect([method, status, headers.location, headers['cache-control']]).toEqual([method, 302, TARGET, 'no-store']);
      expect([headers.expires, headers.vary, text.includes(TARGET)]).toEqual([undefined, 'Accept', method !== 'HEAD']);
    }
  });

  it('has its own links in the redirect', async () => {
    const { link } = (await get(`/${duplicate}`)).headers;
    expect(link).toContain(`/${survivor}>; rel="http://purl.org/dc/terms/isReplacedBy"`);
    expect(link).toContain(`/${duplicate}>; rel="linkset"`);
  });

  it('leads where a changed target of what replaces it leads, and nowhere else after its reinstatement', async () => {
    const survivor = await mint();
    const second = await duplicateOf(survivor);
    expect((await get(`/${second}`)).headers.location).toBe(TARGET);
    await change(survivor, { target: 'https://repo.example.org/moved' });
    expect((await get(`/${second}`)).headers.location).toBe('https://repo.example.org/moved');
    await service.client.send('POST', `/identifiers/${second}/reinstate`, {});
    const own = await get(`/${second}`);
    expect([own.status, own.headers.location]).toEqual([302, 'https://repo.example.org/second']);
    expect(own.headers['cache-control']).toContain('max-age=60');
  });

  it('takes the parameters as what replaces it does', async () => {
    const { status, headers } = await get(`/${duplicate}?urlappend=/page%23top`);
    expect([status, headers.location]).toEqual([302, `${TARGET}/page#top`]);
    expect((await get(`/${duplicate}?urlappend=%0A`)).status).toBe(400);
    expect((await get(`/${duplicate}?type=URL`)).headers.location).toBe(TARGET);
    expect((await get(`/${duplicate}?type=EMAIL`)).status).toBe(410);
  });

  it.each([
    ['?noredirect', 'text/html'],
    ['?action=showvalues', 'text/html'],
    ['?action=api', '*/*'],
    ['', 'application/linkset+json'],
  ])('shows its tombstone with %s and %s', async (query, accept) => {
    const { status, headers, text } = await get(`/${duplicate}${query}`, { accept });
    expect([status, headers.location]).toEqual([410, undefined]);
    expect(text).not.toContain('/second');
  });

  it('shows its tombstone in the REST API, as a page and to Handle clients', async () => {
    const path = `/identifiers/${duplicate}`;
    const { status, body } = await service.client.get(path);
    expect([status, body.code, body.tombstone]).toEqual([
      410,
      'IDENTIFIER_WITHDRAWN',
      expect.objectContaining({ reasonCode: 'duplicate', replacedBy: `hdl:${survivor}` }),
    ]);
    expect((await get(path, { accept: 'text/html' })).status).toBe(410);
    const handle = await get(`/api/handles/${duplicate}`);
    expect([handle.status, JSON.parse(handle.text).responseCode]).toEqual([410, 100]);
    expect((await get(`/hdlresolver/resolve/${duplicate}`)).text).toBe('null\n');
  });

  it('is 410 with another reason code, and without a replacement', async () => {
    expect((await get(`/${await duplicateOf(survivor, 'error')}`)).status).toBe(410);
    const alone = await mint();
    await withdraw(alone, { reasonCode: 'duplicate' });
    expect((await get(`/${alone}`)).status).toBe(410);
  });
});

describe('a chain of duplicates', () => {
  it('leads to its last one over five steps, and no more', async () => {
    const [first, second] = await chain(6);
    expect((await get(`/${second}`)).headers.location).toBe(TARGET);
    const { status, text } = await get(`/${first}`);
    expect([status, text.includes(first!)]).toEqual([410, true]);
  });

  it('that is a circle is 410', async () => {
    const [first, second] = [`${service.na}/${freshGuid()}`, `${service.na}/${freshGuid()}`];
    await importDuplicate(first, second);
    await importDuplicate(second, first);
    expect([(await get(`/${first}`)).status, (await get(`/${second}`)).status]).toEqual([410, 410]);
  });

  it.each([
    ['was withdrawn for another reason', (name: string) => withdraw(name, { reasonCode: 'error' })],
    ['was withdrawn for a legal reason', (name: string) => withdraw(name, { reasonCode: 'legal' })],
    ['has no target', (name: string) => change(name, { target: null })],
  ])('whose last one %s is the 410 of the first one', async (_, end) => {
    const names = await chain(2);
    const first = names[0]!;
    await end(names[2]!);
    const { status, headers, text } = await get(`/${first}`, { accept: 'application/problem+json' });
    expect([status, headers.location, JSON.parse(text).identifier]).toEqual([410, undefined, first]);
  });

  it('whose last one is of another registry, or reserved, is 410', async () => {
    expect((await get(`/${await duplicateOf('hdl:10.1000/182')}`)).status).toBe(410);
    expect((await get(`/${await duplicateOf('demo:7')}`)).status).toBe(410);
    const first = `${service.na}/${freshGuid()}`;
    await importDuplicate(first, await mint({ state: 'reserved', leaseUntil: NEXT_YEAR }));
    expect((await get(`/${first}`)).status).toBe(410);
  });
});
