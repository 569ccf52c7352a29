import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { exchange } from '../harness/exchange.js';
import { useService } from '../harness/service.js';

const service = useService();

const METADATA_ID = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

let cordra = '';

const ask = (path: string, options: Parameters<typeof exchange>[2] = {}) =>
  exchange(service.server.url, `/hrls/${path}`, options);
const bodyOf = async (path: string) => {
  const { status, text } = await ask(path);
  return { status, body: JSON.parse(text) };
};
const found = async (path: string) => {
  const { status, body } = await bodyOf(path);
  expect([path, status]).toEqual([path, 200]);
  return body;
};

beforeAll(async () => {
  const { client, server } = service;
  const settings = { profile: 'handle', storesHandleValues: true, caseInsensitive: true };
  for (const namingAuthority of ['21', '21.T1']) {
    expect((await client.post('/naming-authorities', { namingAuthority, ...settings })).status).toBe(201);
  }
  const minted = await client.mint({ target: 'https://dkrz.example.org/a_b', metadataId: METADATA_ID });
  cordra = minted.body.identifier;
  const value = (index: number, type: string, text: string, permissions = '1110') => ({
    index,
    type,
    data: { format: 'string', value: text },
    permissions,
  });
  const records = {
    one: [
      value(1, 'URL', 'https://dkrz.example.org/one'),
      value(2, 'CHECKSUM', '112'),
      value(3, 'URL', 'ftp://dkrz.example.org/one'),
      value(4, 'PRIVATE', 'open sesame', '1100'),
    ],
    two: [value(1, 'URL', 'https://dkrz.example.org/two'), value(2, 'CHECKSUM', '22%')],
    three: [value(1, 'URL', 'https://else.example.org/é'), value(2, 'CHECKSUM', '312')],
    four: [value(1, 'HS_SECKEY', 'secret')],
  };
  for (const [name, body] of Object.entries(records)) {
    const { status } = await exchange(server.url, `/api/handles/21.T1/${name}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(status).toBe(201);
  }
});

it('GET /hrls/ping is OK and a line break', async () => {
  const { status, headers, text } = await ask('ping');
  expect([status, headers['content-type'], text]).toEqual([200, 'text/plain; charset=utf-8', 'OK\n']);
});

describe('GET /hrls/handles', () => {
  it.each([
    ['an exact target', 'URL=https://dkrz.example.org/one', ['21.T1/ONE']],
    ['an exact target that is stored without escapes', 'URL=https://else.example.org/é', ['21.T1/THREE']],
    ['an exact URL that is no target', 'URL=ftp://dkrz.example.org/one', ['21.T1/ONE']],
    ['a type in another case', 'checksum=112', ['21.T1/ONE']],
    ['a wildcard at the end', 'CHECKSUM=1*', ['21.T1/ONE']],
    ['wildcards on both sides', 'CHECKSUM=*12*', ['21.T1/ONE', '21.T1/THREE']],
    ['all keys', 'URL=*dkrz*&CHECKSUM=*2*', ['21.T1/ONE', '21.T1/TWO']],
    ['one key twice', 'CHECKSUM=*1*&CHECKSUM=*3*', ['21.T1/THREE']],
    ['a percent sign, which is no wildcard', 'CHECKSUM=2%25', []],
    ['a percent sign before a wildcard', 'CHECKSUM=*%25', ['21.T1/TWO']],
    ['an underscore, which is no wildcard', 'URL=https://dkrz.example.org/t_*', []],
    ['a value that not everybody may read', 'PRIVATE=*', []],
    ['a metadata ID that is no name', 'METADATA_ID=%20', []],
    ['a NUL', 'CHECKSUM=%00', []],
  ])('finds handles by %s', async (_, query, handles) => {
    expect(await found(`handles?${encodeURI(query).replaceAll('%25', '%')}`)).toEqual(handles);
  });

  it('finds the handles of a metadata ID in any form, and by a wildcard in the canonical one', async () => {
    for (const text of [METADATA_ID, METADATA_ID.replace('hdl:', '').toLowerCase(), `${METADATA_ID.slice(0, 14)}*`]) {
      expect(await found(`handles?METADATA_ID=${text}`)).toEqual([cordra]);
    }
  });

  it('finds computed administrators, and every handle that has one', async () => {
    expect(await found('handles?HS_ADMIN=0.NA/100.102')).toEqual([cordra]);
    expect(await found('handles/21.T1?HS_ADMIN=*')).toHaveLength(4);
  });

  it('searches below a prefix in any case', async () => {
    expect(await found('handles/21.t1?URL=*dkrz*')).toEqual(['21.T1/ONE', '21.T1/TWO']);
    expect(await found('handles/100.102?URL=*dkrz*')).toEqual([cordra]);
  });

  it('has pages of a limit', async () => {
    expect(await found('handles/21.T1?limit=3')).toEqual(['21.T1/ONE', '21.T1/TWO', '21.T1/THREE']);
    expect(await found('handles/21.T1?limit=3&page=1')).toEqual(['21.T1/FOUR']);
    expect(await found('handles/21.T1?limit=3&page=2')).toEqual([]);
    expect(await found('handles/21.T1?limit=200000&page=0')).toHaveLength(4);
  });

  it('has the public values of the records with retrieverecords', async () => {
    const body = await found('handles?CHECKSUM=112&retrieverecords=true');
    expect(Object.keys(body)).toEqual(['21.T1/ONE']);
    expect(body['21.T1/ONE'][1]).toEqual({
      index: 2,
      type: 'CHECKSUM',
      data: { format: 'string', value: '112' },
      ttl: 86400,
      timestamp: expect.any(String),
    });
    expect(JSON.stringify(body)).not.toContain('sesame');
    expect(await found('handles?CHECKSUM=none&retrieverecords=true')).toEqual({});
  });

  it.each([
    ['a search for secret keys', 'handles?HS_SECKEY=*', 400, 4],
    ['a limit that is no number', 'handles?limit=x', 400, 4],
    ['a page that is too large', 'handles?page=2147483648', 400, 4],
    ['more than ten conditions', `handles?${'A=1&'.repeat(11)}`, 400, 4],
    ['more than ten asterisks', `handles?A=${'*a'.repeat(11)}`, 400, 4],
    ['a value that is too long', `handles?A=${'a'.repeat(2049)}`, 400, 4],
    ['a value that is not UTF-8', 'handles?A=%FF', 400, 4],
    ['a prefix of others', 'handles/99.9?URL=*', 400, 301],
    ['another path', 'nothing', 404, 4],
  ])('rejects %s', async (_, path, status, responseCode) => {
    expect(await bodyOf(path)).toEqual({ status, body: expect.objectContaining({ responseCode }) });
  });

  it('rejects with a response code also below an escaped path', async () => {
    const { status, text } = await exchange(service.server.url, '/%68rls/handles?limit=x');
    expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ responseCode: 4 })]);
  });

  it('ends searches that take too long, two at a time, rejects those that wait too long, and runs the next one', async () => {
    const blocker = new pg.Client({ connectionString: service.database.url });
    await blocker.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE');
      const answers = await Promise.all(Array.from({ length: 20 }, () => bodyOf('handles?CHECKSUM=*')));
      const slow = answers.filter(({ status }) => status === 400);
      expect(slow.map(({ body }) => [body.responseCode, body.message])).toEqual(
        slow.map(() => [4, expect.stringContaining('2 seconds')]),
      );
      // Two run for two seconds, and none waits for more than ten.
      expect(slow.length).toBeGreaterThanOrEqual(2);
      expect(slow.length).toBeLessThanOrEqual(14);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(20 - slow.length);
    } finally {
      await blocker.end();
    }
    expect(await found('handles?CHECKSUM=112')).toEqual(['21.T1/ONE']);
  });
});
