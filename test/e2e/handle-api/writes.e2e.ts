import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import { exchange } from '../harness/exchange.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, INTERFACES: 'api,resolver,handles' });

const TARGET = 'https://repo.example.org/objects/7';
const METADATA_ID = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';
const URL_VALUE = { index: 1, type: 'URL', data: TARGET };

interface Sent {
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const send = async (method: string, handle: string, { body, headers = ADMIN }: Sent = {}) => {
  const answer = await exchange(service.server.url, `/api/handles/${handle}`, {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { ...answer, body: JSON.parse(answer.text) };
};
const put = (handle: string, body: unknown, headers = ADMIN) => send('PUT', handle, { body, headers });
const codes = async (answer: Promise<{ status: number; body: any }>) => {
  const { status, body } = await answer;
  return [status, body.responseCode];
};
const guid = () => randomUUID().replaceAll('-', '').toUpperCase();
const identifierOf = (handle: string) => service.client.get(`/identifiers/${handle}`, ADMIN);

beforeAll(async () => {
  for (const settings of [
    { namingAuthority: 'Box', profile: 'handle', storesHandleValues: true, sandbox: true },
    { namingAuthority: 'Kept', profile: 'handle', storesHandleValues: true },
  ]) {
    expect((await service.client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
  }
});

describe('a PUT under a naming authority without handleValues', () => {
  it('registers a GUID in any case with a target and a metadata ID, and changes both', async () => {
    const name = guid();
    const values = [URL_VALUE, { index: 101, type: 'METADATA_ID', data: METADATA_ID }];
    const handle = `100.102/${name.toLowerCase()}`;
    expect((await put(handle, values)).body).toEqual({ responseCode: 1, handle });
    const { body } = await identifierOf(`100.102/${name}`);
    expect(body).toMatchObject({ target: TARGET, metadataId: METADATA_ID, version: 1 });
    expect(await codes(put(handle, [{ ...URL_VALUE, data: `${TARGET}/b` }]))).toEqual([200, 1]);
    const changed = await identifierOf(`100.102/${name}`);
    expect(changed.body).toMatchObject({ target: `${TARGET}/b`, metadataId: METADATA_ID, version: 2 });
  });

  it('R-05: reads a GUID with hyphens as that GUID in each request', async () => {
    const name = randomUUID();
    const handle = `100.102/${name}`;
    const values = [URL_VALUE, { index: 101, type: 'METADATA_ID', data: `hdl:2000.01/${guid()}` }];
    expect(await put(handle, { handle, values })).toMatchObject({ status: 201, body: { responseCode: 1, handle } });
    const native = `100.102/${name.replaceAll('-', '').toUpperCase()}`;
    expect((await identifierOf(native)).body).toMatchObject({ target: TARGET, version: 1 });
    expect(await codes(send('GET', handle))).toEqual([200, 1]);
    expect(await codes(put(`${handle}?index=1`, [{ ...URL_VALUE, data: `${TARGET}/b` }]))).toEqual([200, 1]);
    expect(await codes(put(native, { handle, values: [{ ...URL_VALUE, data: `${TARGET}/c` }] }))).toEqual([200, 1]);
    expect(await codes(send('DELETE', `${handle}?index=101`))).toEqual([200, 1]);
    expect((await identifierOf(native)).body).toMatchObject({ target: `${TARGET}/c`, metadataId: null, version: 4 });
    expect(await codes(send('DELETE', handle))).toEqual([403, 400]);
  });

  it('rejects other values, and names the setting', async () => {
    const { status, body } = await put(`100.102/${guid()}`, [{ index: 2, type: 'EMAIL', data: 'a@example.org' }]);
    expect([status, body.responseCode]).toEqual([400, 4]);
    expect(body.message).toContain('storesHandleValues');
  });

  it('rejects a suffix that is not a GUID', async () => {
    expect(await codes(put('100.102/x', [URL_VALUE]))).toEqual([400, 4]);
    expect(await codes(send('DELETE', '100.102/x'))).toEqual([404, 100]);
  });

  it('mints a GUID of 32 upper-case digits', async () => {
    const { status, body } = await put('100.102/?mintNewSuffix=true', [URL_VALUE]);
    expect([status, body.responseCode]).toEqual([201, 1]);
    expect(body.handle).toMatch(/^100\.102\/[0-9A-F]{32}$/);
    expect((await identifierOf(body.handle)).body.target).toBe(TARGET);
    expect(await codes(put('100.102/pre-?mintNewSuffix=true', [URL_VALUE]))).toEqual([422, 4]);
  });
});

describe('mintNewSuffix', () => {
  it('honours an Idempotency-Key', async () => {
    const headers = { ...ADMIN, 'idempotency-key': randomUUID() };
    const first = await put('Box/pre-?mintNewSuffix=true', [URL_VALUE], headers);
    expect(first.body.handle).toMatch(/^Box\/pre-/);
    expect((await put('Box/pre-?mintNewSuffix=true', [URL_VALUE], headers)).body).toEqual(first.body);
    expect((await put('Box/pre-?mintNewSuffix=true', [URL_VALUE])).body.handle).not.toBe(first.body.handle);
    const other = await put('Box/?mintNewSuffix=true', [URL_VALUE], headers);
    expect([other.status, other.body.responseCode]).toEqual([422, 4]);
  });
});

describe('the metadata ID', () => {
  it('stays where a PUT has none, and ends with the DELETE of its index', async () => {
    await put('Box/m', [URL_VALUE, { index: 7, type: 'METADATA_ID', data: METADATA_ID }]);
    expect(await codes(put('Box/m', [URL_VALUE]))).toEqual([200, 1]);
    expect((await identifierOf('Box/m')).body.metadataId).toBe(METADATA_ID);
    expect((await send('GET', 'Box/m?index=7')).body.values[0]).toMatchObject({ type: 'METADATA_ID' });
    expect(await codes(send('DELETE', 'Box/m?index=7'))).toEqual([200, 1]);
    expect((await identifierOf('Box/m')).body.metadataId).toBeNull();
  });

  it('of another identifier is a conflict that is not that of an existing handle', async () => {
    const value = { index: 7, type: 'METADATA_ID', data: 'hdl:2000.01/B3D8BE7457C943FFB66ED4583059A8BA' };
    expect(await codes(put('Box/owner', [value]))).toEqual([201, 1]);
    const conflict = await put('Box/rival', [value]);
    expect([conflict.status, conflict.body.responseCode]).toEqual([409, 202]);
    expect(conflict.headers.link).toBe('</identifiers/hdl%3ABox%2Fowner>; rel="related"');
    await put('Box/rival', [URL_VALUE]);
    expect(await codes(put('Box/rival', [value]))).toEqual([409, 202]);
  });

  it('CID-18: is written with another query', async () => {
    const handle = `Box/${guid()}`;
    const metadataId = `hdl:2000.01/${guid()}`;
    const withQuery = (query: string) => [URL_VALUE, { index: 2, type: 'METADATA_ID', data: `${metadataId}${query}` }];
    expect(await codes(put(handle, withQuery('?v=1')))).toEqual([201, 1]);
    expect(await codes(put(handle, withQuery('?v=2')))).toEqual([200, 1]);
    expect((await identifierOf(handle)).body).toMatchObject({ metadataId: `${metadataId}?v=2`, version: 2 });
  });
});

describe('DELETE of a handle', () => {
  it('outside a sandbox is 403 and names the withdrawal', async () => {
    await put('Kept/x', [URL_VALUE]);
    const { status, body } = await send('DELETE', 'Kept/x');
    expect([status, body.responseCode, body.handle]).toEqual([403, 400, 'Kept/x']);
    expect(body.message).toContain('withdraw');
    expect(await codes(send('GET', 'Kept/x'))).toEqual([200, 1]);
  });

  it('in a sandbox deletes it, and a PUT reinstates it with other values', async () => {
    await put('Box/d', [URL_VALUE, { index: 2, type: 'X', data: 'x' }]);
    expect(await codes(send('DELETE', 'Box/d'))).toEqual([200, 1]);
    expect(await codes(send('GET', 'Box/d'))).toEqual([404, 100]);
    expect(await codes(send('DELETE', 'Box/d'))).toEqual([404, 100]);
    expect((await identifierOf('Box/d')).status).toBe(410);
    expect(await codes(put('Box/d', [URL_VALUE]))).toEqual([201, 1]);
    const { body } = await send('GET', 'Box/d');
    expect(body.values.map(({ type }: { type: string }) => type)).toEqual(['URL', 'HS_ADMIN']);
    expect((await identifierOf('Box/d')).body).toMatchObject({ state: 'active', version: 3 });
  });

  it('is told by its reason code: not by the text of a reason, and also where it was imported', async () => {
    const reason = 'The Handle was deleted.';
    const importOf = (name: string, reasonCode: string) => {
      const tombstone = { withdrawnAt: '2020-01-01T00:00:00Z', reasonCode, reason: 'x' };
      return JSON.stringify({ identifier: `Box/${name}`, state: 'withdrawn', tombstone });
    };
    await put('Box/t', [URL_VALUE]);
    expect((await service.client.post('/identifiers/Box/t/withdraw', { reason }, ADMIN)).status).toBe(200);
    const lines = await sendLines(
      `${service.server.url}/identifiers/import`,
      `${importOf('i', 'deleted')}\n${importOf('j', 'other')}\n`,
      { ...ADMIN, 'content-type': 'application/x-ndjson' },
    );
    expect(lines.map(({ status }) => status)).toEqual([201, 201]);
    const found = [];
    for (const name of ['t', 'i', 'j']) found.push((await send('GET', `Box/${name}`)).status);
    expect(found).toEqual([410, 404, 410]);
    expect(await codes(put('Box/i', [URL_VALUE]))).toEqual([201, 1]);
    expect((await put('Box/t', [URL_VALUE])).status).toBe(409);
  });

  it('takes no notice of an Idempotency-Key', async () => {
    const headers = { ...ADMIN, 'idempotency-key': randomUUID() };
    for (const handle of ['Box/k1', 'Box/k2']) {
      await put(handle, [URL_VALUE]);
      expect(await codes(send('DELETE', handle, { headers }))).toEqual([200, 1]);
      expect(await codes(send('GET', handle))).toEqual([404, 100]);
    }
  });

  it('does not affect a withdrawn one, which is not written either', async () => {
    await put('Box/w', [URL_VALUE]);
    expect((await service.client.post('/identifiers/Box/w/withdraw', { reason: 'Twice.' }, ADMIN)).status).toBe(200);
    for (const answer of [await send('DELETE', 'Box/w'), await put('Box/w', [URL_VALUE])]) {
      expect([answer.status, answer.body.handle]).toEqual([409, 'Box/w']);
    }
    expect((await send('GET', 'Box/w')).status).toBe(410);
  });
});

const keyWith = async (scope: string, namingAuthority = 'Box') => {
  const namingAuthorities = [{ namingAuthority, derived: false }];
  const { body } = await service.client.post('/api-keys', { client: 'c', scopes: [scope], namingAuthorities }, ADMIN);
  return { authorization: `Bearer ${body.secret}` };
};

describe('scopes', () => {
  it('register is for a new name, mint for a minted one, and curate for a change', async () => {
    await put('Box/scoped', [URL_VALUE]);
    const requests: Record<string, (headers: Record<string, string>) => Promise<{ status: number }>> = {
      register: (headers) => put(`Box/${randomUUID()}`, [URL_VALUE], headers),
      mint: (headers) => put('Box/?mintNewSuffix=true', [URL_VALUE], headers),
      curate: (headers) => put('Box/scoped', [{ ...URL_VALUE, data: `${TARGET}/${randomUUID()}` }], headers),
    };
    for (const scope of ['read', 'register', 'mint', 'curate']) {
      const headers = await keyWith(scope);
      for (const [needed, request] of Object.entries(requests)) {
        const { status } = await request(headers);
        expect([scope, needed, status < 300]).toEqual([scope, needed, scope === needed]);
      }
    }
  });

  it('without a key are challenged, with the handle in the body', async () => {
    for (const [method, path] of [
      ['PUT', 'Box/none'],
      ['DELETE', 'Box/none'],
      ['PUT', 'Box/?mintNewSuffix=true'],
    ] as const) {
      const sent = method === 'PUT' ? { body: [URL_VALUE] } : {};
      const { status, body, headers } = await send(method, path, { ...sent, headers: {} });
      expect([status, body.responseCode, body.handle]).toEqual([401, 402, path.split('?')[0]]);
      expect(headers['www-authenticate']).toBe('Basic realm="handle"');
    }
  });
});

it.each(['/api/handles?prefix=Box', '/api/prefixes', '/hrls/handles?URL=*', '/hrls/handles/Box?URL=*'])(
  'the list %s needs a key although reading is public',
  async (path) => {
    const { status, text } = await exchange(service.server.url, path);
    expect([status, JSON.parse(text).responseCode]).toEqual([401, 402]);
    expect((await exchange(service.server.url, path, { headers: ADMIN })).status).toBe(200);
  },
);

describe('values that are not public', () => {
  it('are shown to a key that may change them, unless publicOnly is sent, and to nobody else', async () => {
    await put('Box/hidden', [URL_VALUE, { index: 3, type: 'HIDDEN', data: 'x', permissions: '1100' }]);
    const types = async (query: string, headers: Record<string, string>) =>
      (await send('GET', `Box/hidden${query}`, { headers })).body.values?.map(({ type }: { type: string }) => type);
    expect(await types('', ADMIN)).toEqual(['URL', 'HIDDEN', 'HS_ADMIN']);
    expect(await types('?publicOnly=true', ADMIN)).toEqual(['URL', 'HS_ADMIN']);
    expect(await types('', await keyWith('curate'))).toEqual(['URL', 'HIDDEN', 'HS_ADMIN']);
    expect(await types('', {})).toEqual(['URL', 'HS_ADMIN']);
    for (const headers of [await keyWith('curate', 'Kept'), await keyWith('read'), await keyWith('register')]) {
      for (const query of ['', '?publicOnly=false']) expect(await types(query, headers)).toEqual(['URL', 'HS_ADMIN']);
    }
    expect(await codes(send('GET', 'Box/hidden?publicOnly=false', { headers: {} }))).toEqual([401, 402]);
    expect(await codes(send('GET', 'Box/hidden?publicOnly=false&type=URL', { headers: {} }))).toEqual([200, 1]);
  });

  it('a secret key is shown to nobody', async () => {
    await put('Box/secret', [URL_VALUE, { index: 300, type: 'HS_SECKEY', data: 'hunter2', permissions: '1110' }]);
    for (const headers of [ADMIN, {}, await keyWith('curate')]) {
      const { status, text } = await send('GET', 'Box/secret', { headers });
      expect([status, text.includes('hunter2')]).toEqual([200, false]);
    }
  });
});

describe('a write with more parameters than are read', () => {
  it('is rejected, and nothing is written', async () => {
    const padding = 'x=1&'.repeat(600);
    expect(await codes(put('Box/padded', [URL_VALUE]))).toEqual([201, 1]);
    expect(await codes(send('DELETE', `Box/padded?${padding}index=1`))).toEqual([400, 4]);
    expect(await codes(put(`Box/padded?${padding}overwrite=false`, []))).toEqual([400, 4]);
    const { body } = await send('GET', 'Box/padded?type=URL');
    expect(body.values).toHaveLength(1);
  });
});
