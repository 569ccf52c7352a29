import { describe, expect, it } from '@jest/globals';
import { CSV, ndjson, sendChanges } from '../harness/changes.js';
import { freshMetadataId } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const send = (body: string, query = '', headers: Record<string, string> = {}) =>
  sendChanges(service.client, body, { query, headers });
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
const bare = (line: any) => [line.status, line.identifier ?? line.problem?.code];

describe('a line of changes without an identifier', () => {
  it('names its identifier by the metadata ID, under the naming authority of the line or of the request', async () => {
    const [x, y] = [freshMetadataId(), freshMetadataId()];
    const [a, b] = [await mint({ metadataId: x, target: url('a') }), await mint({ metadataId: y, target: url('b') })];
    const lines = [
      { metadataId: x.toLowerCase(), target: url('1') },
      { metadataId: y, namingAuthority: service.na, withdraw: { reason: 'Twice.' } },
      { metadataId: x, namingAuthority: service.other, target: url('2') },
    ];
    const { lines: results } = await send(ndjson(...lines), `?namingAuthority=${service.na}`);
    expect(results.map(bare)).toEqual([
      [200, a],
      [200, b],
      [404, 'IDENTIFIER_NOT_FOUND'],
    ]);
    expect(results[2].problem.errors[0].pointer).toBe('/metadataId');
    expect((await service.client.get(`/identifiers/${a}`)).body).toMatchObject({ target: url('1'), metadataId: x });
  });

  it('meets the metadata IDs as the lines before it leave them, also in a dry run', async () => {
    const [x, y] = [freshMetadataId(), freshMetadataId()];
    const a = await mint({ metadataId: x });
    const b = await mint();
    const body = ndjson(
      { metadataId: x, target: url('1') },
      { identifier: a, metadataId: y },
      { metadataId: x, target: url('2') },
      { metadataId: y, target: url('3') },
      { identifier: b, metadataId: x },
      { metadataId: x, target: url('4') },
    );
    const expected = [
      [200, a],
      [200, a],
      [404, 'IDENTIFIER_NOT_FOUND'],
      [200, a],
      [200, b],
      [200, b],
    ];
    const query = `?namingAuthority=${service.na}`;
    expect((await send(body, `${query}&dryRun=true`)).lines.map(bare)).toEqual(expected);
    const key = { 'idempotency-key': `by-metadata-${a}` };
    const first = await send(body, query, key);
    expect(first.lines.map(bare)).toEqual(expected);
    expect((await send(body, query, { ...key, prefer: 'return=minimal' })).lines).toEqual(
      first.lines.map(({ record: _, ...line }) => line),
    );
    const targets = await Promise.all(
      [a, b].map(async (id) => (await service.client.get(`/identifiers/${id}`)).body.target),
    );
    expect(targets).toEqual([url('3'), url('4')]);
  });

  it('is read from CSV without the column "identifier"', async () => {
    const x = freshMetadataId();
    const a = await mint({ metadataId: x });
    const { lines } = await send(`metadataId,target\n${x},${url('csv')}\n`, `?namingAuthority=${service.na}`, CSV);
    expect(lines.map(bare)).toEqual([[200, a]]);
  });

  it('is rejected without a metadata ID or a naming authority, and with a naming authority and an identifier', async () => {
    const x = freshMetadataId();
    const a = await mint({ metadataId: x });
    const lines = [
      {},
      { metadataId: null },
      { metadataId: x },
      { metadataId: x, namingAuthority: '' },
      { metadataId: x, namingAuthority: '9999.1' },
      { identifier: a, namingAuthority: service.na },
    ];
    const { lines: results } = await send(ndjson(...lines));
    expect(results.map(({ problem }) => [problem.code, problem.errors[0].pointer])).toEqual([
      ['INVALID_REQUEST', '/identifier'],
      ['INVALID_REQUEST', '/identifier'],
      ['INVALID_REQUEST', '/namingAuthority'],
      [expect.any(String), '/namingAuthority'],
      ['IDENTIFIER_NOT_FOUND', '/metadataId'],
      ['INVALID_REQUEST', '/namingAuthority'],
    ]);
  });
});

describe('the results of changes', () => {
  it('have the old values, and a repeat has the same ones', async () => {
    const [x, y] = [freshMetadataId(), freshMetadataId()];
    const a = await mint({ metadataId: x, target: url('old'), alternateIds: ['demo:old-values'] });
    const body = ndjson(
      { identifier: a, target: url('new'), metadataId: y },
      { identifier: a, target: url('new') },
      { identifier: a, target: null, alternateIds: null },
      { identifier: a, withdraw: { reason: 'Twice.' } },
    );
    const headers = { 'idempotency-key': `old-${a}`, prefer: 'return=minimal' };
    const { lines } = await send(body, '', headers);
    expect(lines.map(({ outcome, old }) => [outcome, old])).toEqual([
      ['changed', { target: url('old'), metadataId: x }],
      ['unchanged', undefined],
      ['changed', { target: url('new'), alternateIds: ['info:fedora/demo:old-values'] }],
      ['changed', { state: 'active', tombstone: null }],
    ]);
    expect((await send(body, '', headers)).lines).toEqual(lines);
  });
});
