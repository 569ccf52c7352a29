import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { mintMany, ndjson, sendChanges } from '../harness/changes.js';
import { query } from '../harness/database.js';
import { freshPid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';

// Counts the rows of the whole database.
const service = useService();
const send = (body: string, settings: { query?: string; headers?: Record<string, string> } = {}) =>
  sendChanges(service.client, body, settings);
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
const bare = (line: any) => [line.line, line.status, line.outcome ?? line.problem?.code];

describe('a dry run', () => {
  /** The rows of all tables that a change writes, and the number of the next transaction. */
  const written = async () =>
    (
      await query<Record<string, string>>(
        service.database.url,
        `SELECT (SELECT count(*) FROM change) AS changes, (SELECT sum(version) FROM identifier) AS versions,
                (SELECT count(*) FROM request) AS requests, (SELECT count(*) FROM request_part) AS parts,
                (SELECT count(*) FROM alternate_identifier) AS alternates, pg_snapshot_xmax(pg_current_snapshot()) AS next`,
      )
    )[0];

  it('returns old and new values, and writes nothing', async () => {
    const [name, other] = [freshPid(), freshPid()];
    const identifier = await mint({ target: url('old'), metadataId: name });
    const reserved = await mint({ state: 'reserved', leaseUntil: '2099-01-01T00:00:00Z' });
    const before = await written();
    const { status, lines } = await send(
      ndjson(
        { identifier, target: url('new'), metadataId: name, alternateIds: [other] },
        { identifier, target: url('new') },
        { identifier, metadataId: null, ifVersion: 2 },
        { identifier, withdraw: { reason: 'Gone.' } },
        { identifier: reserved, activate: true },
      ),
      { query: '?dryRun=true', headers: { 'idempotency-key': randomUUID() } },
    );
    expect(status).toBe(200);
    const common = { clientRef: null, status: 200, outcome: 'changed', identifier };
    expect(lines).toEqual([
      {
        ...{ line: 1, ...common, version: 2 },
        old: { target: url('old'), alternateIds: [] },
        new: { target: url('new'), alternateIds: [other] },
      },
      { line: 2, ...common, outcome: 'unchanged', version: 2 },
      { line: 3, ...common, version: 3, old: { metadataId: name }, new: { metadataId: null } },
      {
        ...{ line: 4, ...common, version: 4 },
        old: { state: 'active', tombstone: null },
        new: { state: 'withdrawn', tombstone: { reasonCode: 'other', reason: 'Gone.', replacedBy: null } },
      },
      {
        ...{ line: 5, ...common, identifier: reserved, version: 2 },
        old: { state: 'reserved', leaseUntil: '2099-01-01T00:00:00.000Z' },
        new: { state: 'active', leaseUntil: null },
      },
    ]);
    expect(await written()).toEqual(before);
  });

  it('takes the states, versions and values of earlier chunks into account', async () => {
    const [a, b, c] = [await mint({ target: url('1') }), await mint({ target: url('1') }), await mint()];
    await send(ndjson({ identifier: a, withdraw: { reason: 'x' } }));
    const reserved = await mint({ state: 'reserved', leaseUntil: '2099-01-01T00:00:00Z' });
    const file = [
      ndjson({ identifier: a, reinstate: true }, { identifier: b, withdraw: { reason: 'x' } }),
      ndjson({ identifier: c, target: url('2') }, { identifier: reserved, activate: true }),
      '\n'.repeat(96),
      ndjson({ identifier: a, target: url('2'), ifVersion: 3 }, { identifier: b, target: url('2') }),
      ndjson({ identifier: c, language: 'de', ifVersion: 2 }, { identifier: reserved, activate: true }),
      '\n'.repeat(96),
      ndjson({ identifier: a, target: url('3') }, { identifier: c, target: url('2') }),
      ndjson({ identifier: c, withdraw: { reason: 'x', replacedBy: b } }),
    ].join('');
    const shown = (line: any) => [...bare(line), line.version, line.old];
    const dry = await send(file, { query: '?dryRun=true' });
    expect(dry.lines.slice(4).map(shown)).toEqual([
      [101, 200, 'changed', 4, { target: url('1') }],
      [102, 409, 'WRONG_STATE', undefined, undefined],
      [103, 200, 'changed', 3, { language: null }],
      [104, 409, 'WRONG_STATE', undefined, undefined],
      [201, 200, 'changed', 5, { target: url('2') }],
      [202, 200, 'unchanged', 3, undefined],
      [203, 422, 'REPLACEMENT_NOT_FOUND', undefined, undefined],
    ]);
    expect((await send(file)).lines.map(shown)).toEqual(dry.lines.map(shown));
  });

  it('of more values than it can keep ends with 413, and another one has the results of the other lines', async () => {
    const all = await mintMany(
      service.client,
      Array.from({ length: 480 }, () => ({})),
    );
    const lines = all.map((identifier, line) => {
      const alternateIds = Array.from({ length: 90 }, (_, at) => `hdl:77.7/${line}-${at}-${'x'.repeat(580)}`);
      return ndjson({ identifier, alternateIds });
    });
    const dry = await send(lines.join(''), { query: '?dryRun=true' });
    const end = dry.lines.at(-1);
    expect([end.final, end.problem.code, end.line]).toEqual([true, 'BODY_TOO_LARGE', dry.lines.length]);
    expect(dry.lines.length).toBeGreaterThan(300);
    const rest = await send(lines.slice(end.line - 1).join(''), { query: '?dryRun=true' });
    expect([rest.lines.length, rest.lines.at(-1).outcome]).toEqual([480 - end.line + 1, 'changed']);
  });

  it('finds names that two lines give, also in different chunks', async () => {
    const [a, b, c, d] = await mintMany(service.client, [{}, {}, {}, {}]);
    const [name, alternate] = [freshPid(), freshPid()];
    const file = [
      ndjson({ identifier: a, metadataId: name }, { identifier: b, metadataId: name }),
      '\n'.repeat(200),
      ndjson({ identifier: c, metadataId: name }, { identifier: a, metadataId: null, alternateIds: [alternate] }),
      '\n'.repeat(100),
      ndjson({ identifier: c, metadataId: name }, { identifier: d, alternateIds: [alternate] }),
    ].join('');
    const { lines } = await send(file, { query: '?dryRun=true' });
    expect(lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 409, 'METADATA_ID_TAKEN'],
      [203, 409, 'METADATA_ID_TAKEN'],
      [204, 200, 'changed'],
      [305, 200, 'changed'],
      [306, 409, 'ALTERNATE_ID_TAKEN'],
    ]);
    expect((await send(file)).lines.map(bare)).toEqual(lines.map(bare));
  });

  it('releases the names that earlier chunks gave, and not those that other identifiers have got', async () => {
    const names = Array.from({ length: 3 }, freshPid);
    const [x, y, z] = await mintMany(
      service.client,
      names.map((metadataId) => ({ metadataId })),
    );
    const [first, second] = [freshPid(), freshPid()];
    const file = [
      ndjson({ identifier: x, metadataId: first }, { identifier: y, metadataId: names[0] }),
      '\n'.repeat(98),
      ndjson({ identifier: x, metadataId: second }),
      ndjson({ identifier: z, metadataId: names[0] }, { identifier: z, metadataId: first }),
    ].join('');
    const dry = await send(file, { query: '?dryRun=true' });
    expect(dry.lines.map(bare)).toEqual([
      [1, 200, 'changed'],
      [2, 200, 'changed'],
      [101, 200, 'changed'],
      [102, 409, 'METADATA_ID_TAKEN'],
      [103, 200, 'changed'],
    ]);
    expect((await send(file)).lines.map(bare)).toEqual(dry.lines.map(bare));
  });
});
