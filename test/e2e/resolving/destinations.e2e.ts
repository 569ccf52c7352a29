import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { useService } from '../harness/service.js';

const service = useService();

const NA = '21.T14999';
const LOCATIONS =
  '<locations><location id="0" href="https://a.example/0" country="gb" weight="0"/><location id="1" href="https://b.example/1" weight="1"/></locations>';

const put = async (name: string, values: object[]) => {
  const { status, text } = await exchange(service.server.url, `/api/handles/${NA}/${name}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ values }),
  });
  expect([name, status, text]).toEqual([name, 201, `{"responseCode":1,"handle":"${NA}/${name}"}\n`]);
};
const value = (index: number, type: string, data: string, more = {}) => ({ index, type, data, ...more });
const get = (path: string) => exchange(service.server.url, `/${NA}/${path}`);
const led = async (path: string) => {
  const { status, headers } = await get(path);
  return [status, headers.location ?? null];
};

beforeAll(async () => {
  const settings = { profile: 'handle', storesHandleValues: true, sandbox: true, caseInsensitive: true };
  for (const namingAuthority of ['21', NA]) {
    const { status } = await service.client.post('/naming-authorities', { ...settings, namingAuthority });
    expect(status).toBe(201);
  }
  await put('URL1', [
    value(7, 'URL', 'https://repo.example.org/1', { ttl: 60 }),
    value(9, 'URL', 'https://other.example/'),
  ]);
  await put('PAST', [value(1, 'URL', 'https://repo.example.org/past', { ttl: '2020-01-01T00:00:00Z' })]);
  await put('FUTURE', [value(1, 'URL', 'https://repo.example.org/future', { ttl: '2126-01-01T00:00:00Z' })]);
  await put('LOC', [value(2, 'URL', 'https://repo.example.org/loc'), value(1, '10320/loc', LOCATIONS)]);
  await put('BROKEN', [value(2, 'URL', 'https://repo.example.org/broken'), value(1, '10320/loc', '<locations>')]);
  await put('ALIAS', [value(1, 'HS_ALIAS', `${NA}/a b/%41?c`), value(2, 'URL', 'https://repo.example.org/alias')]);
  await put('SELF', [value(1, 'HS_ALIAS', `${NA}/SELF`)]);
  await put('SELF2', [value(1, 'HS_ALIAS', `${NA}/self2 `)]);
  await put('EVIL', [value(1, 'HS_ALIAS', '\\evil.example/x')]);
  await put('WIDE', [value(1, 'HS_ALIAS', '\u65e5\u672c/x')]);
  await put('PRIVATE', [
    value(1, 'URL', 'https://internal.example/', { permissions: '1100' }),
    value(2, 'URL', 'https://public.example/'),
  ]);
  await put('FTP', [value(1, 'URL', 'ftp://repo.example.org/x'), value(2, 'URL', 'https://repo.example.org/x')]);
  await put('HIDDEN', [value(1, '10320/loc', LOCATIONS, { permissions: '1100' })]);
});

describe('a record with stored values', () => {
  it('leads to its URL of the lowest index, for as long as that value may be cached', async () => {
    const { status, headers } = await get('URL1');
    expect([status, headers.location]).toEqual([302, 'https://repo.example.org/1']);
    expect(headers['cache-control']).toBe('public, max-age=60, s-maxage=60');
    const lasting = (Date.parse(headers.expires ?? '') - Date.now()) / 1000;
    expect(lasting).toBeGreaterThan(50);
    expect(lasting).toBeLessThanOrEqual(60);
  });

  it('leads to a URL whose time is over without being cached, and to one of the far future for a minute at most', async () => {
    const before = Date.now();
    const [past, future] = [await get('PAST'), await get('FUTURE')];
    expect([past.status, past.headers['cache-control']]).toEqual([302, 'public, max-age=0, s-maxage=0']);
    expect(Date.parse(past.headers.expires ?? '')).toBeGreaterThanOrEqual(before - 1000);
    expect(Date.parse(past.headers.expires ?? '')).toBeLessThanOrEqual(Date.now());
    expect([future.status, future.headers['cache-control']]).toEqual([302, 'public, max-age=60, s-maxage=60']);
  });

  it('does not lead to data that is not an http or https URL, nor to another URL in its place', async () => {
    expect(await led('FTP')).toEqual([200, null]);
  });

  it('leads to one of its locations rather than to its URL', async () => {
    expect(await led('LOC')).toEqual([302, 'https://b.example/1']);
    expect(await led('LOC?locatt=id:0')).toEqual([302, 'https://a.example/0']);
    expect(await led('LOC?locatt=country:gb&urlappend=%3Fx')).toEqual([302, 'https://a.example/0?x']);
    expect(await led('LOC?type=URL')).toEqual([302, 'https://repo.example.org/loc']);
    expect(await led('LOC?urlappend=.evil.example')).toEqual([302, 'https://b.example/1.evil.example']);
    expect(await led('BROKEN')).toEqual([302, 'https://repo.example.org/broken']);
    expect(await led('HIDDEN')).toEqual([200, null]);
  });

  it('shows its locations as XML for action=showurls', async () => {
    const { headers, text } = await get('LOC?action=showurls');
    expect(headers['content-type']).toMatch(/^text\/xml/);
    expect(text).toContain(LOCATIONS.slice('<locations>'.length, -'</locations>'.length));
  });

  it('leads to the Handle of its alias, with the query, unless the query selects values', async () => {
    const alias = `/${NA}/a%20b%2F%2541%3Fc`;
    expect(await led('ALIAS')).toEqual([301, alias]);
    expect(await led('ALIAS?urlappend=x')).toEqual([301, `${alias}?urlappend=x`]);
    expect(await led('ALIAS?ignore_aliases')).toEqual([302, 'https://repo.example.org/alias']);
    expect(await led('ALIAS?noredirect')).toEqual([200, null]);
    expect(await led('ALIAS?type=URL')).toEqual([302, 'https://repo.example.org/alias']);
    expect(await led('SELF')).toEqual([200, null]);
    expect(await led('SELF2')).toEqual([200, null]);
  });

  it('stays at this resolver for any alias', async () => {
    expect(await led('EVIL')).toEqual([301, '/%5Cevil.example/x']);
    expect(await led('WIDE')).toEqual([301, '/%E6%97%A5%E6%9C%AC/x']);
  });

  it('does not lead to a URL that not everybody may read', async () => {
    expect(await led('PRIVATE')).toEqual([302, 'https://public.example/']);
    expect((await service.client.get(`/identifiers/${NA}/PRIVATE`)).body.target).toBe('https://public.example/');
  });

  it('does not exist for a resolver after it was deleted', async () => {
    await put('GONE', [value(1, 'URL', 'https://repo.example.org/gone')]);
    expect((await get('GONE')).status).toBe(302);
    expect((await exchange(service.server.url, `/api/handles/${NA}/GONE`, { method: 'DELETE' })).status).toBe(200);
    const { status, text } = await get('GONE');
    expect([status, text.includes('cannot be found')]).toEqual([404, true]);
  });
});

describe('a duplicate whose replacement has stored values', () => {
  const duplicateOf = async (name: string) => {
    const { body } = await service.client.mint({ namingAuthority: NA, target: 'https://repo.example.org/second' });
    const tombstone = { reasonCode: 'duplicate', reason: 'Twice.', replacedBy: `${NA}/${name}` };
    const path = `/identifiers/${encodeURIComponent(body.identifier)}/withdraw`;
    expect((await service.client.post(path, tombstone)).status).toBe(200);
    return body.identifier.split('/')[1] as string;
  };

  it('leads where its locations lead', async () => {
    expect(await led(await duplicateOf('LOC'))).toEqual([302, 'https://b.example/1']);
  });

  it('does not follow its alias, which could lead to the duplicate again', async () => {
    expect(await led('ALIAS')).toEqual([301, `/${NA}/a%20b%2F%2541%3Fc`]);
    expect(await led(await duplicateOf('ALIAS'))).toEqual([302, 'https://repo.example.org/alias']);
    expect(await led(await duplicateOf('WIDE'))).toEqual([410, null]);
  });
});
