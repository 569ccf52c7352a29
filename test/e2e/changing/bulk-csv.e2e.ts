import { describe, expect, it } from '@jest/globals';
import { CSV, ndjson, sendChanges } from '../harness/changes.js';
import { freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const send = (body: string, settings: { query?: string; headers?: Record<string, string> } = {}) =>
  sendChanges(service.client, body, settings);
const read = async (identifier: string) => (await service.client.get(`/identifiers/${identifier}`)).body;
const mint = async (fields: object = {}) => (await service.client.mint(fields)).body.identifier as string;
const url = (name: string) => `https://repo.example.org/${name}`;
const bare = (line: any) => [line.line, line.status, line.outcome ?? line.problem?.code];

describe('CSV', () => {
  it.each([
    ['commas', ',', ''],
    ['semicolons', ';', ''],
    ['tabs', '\t', '\ufeff'],
  ])('with %s is read, and an empty cell sets nothing', async (_, delimiter, mark) => {
    const name = freshPid();
    const [a, b] = [await mint({ target: url('a'), alternateIds: [name] }), await mint({ target: url('b') })];
    const rows = [
      ['Identifier', 'TARGET', 'alternateIds', 'withdrawalReason', 'ifVersion', 'clientRef'],
      [a, url('new'), '', '', '1', 'r1'],
      [`hdl:${b}`, '', '', 'Deposited twice.', '', ''],
      [a, '', `${freshPid()} ${freshPid()}`, '', '', ''],
      [a, '', '', '', '', ''],
    ];
    const body = mark + rows.map((row) => row.map((cell) => `"${cell}"`).join(delimiter)).join('\r\n');
    const { lines } = await send(body, { headers: CSV });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 200, 'changed'],
      [4, 200, 'changed'],
      [5, 200, 'unchanged'],
    ]);
    expect(lines[0].clientRef).toBe('r1');
    const changed = await read(a);
    expect(changed).toMatchObject({ target: url('new'), version: 3 });
    expect(changed.alternateIds).toHaveLength(2);
    expect((await service.client.get(`/identifiers/${b}`)).status).toBe(410);
  });

  it('reads truth values of spreadsheets and reason codes, and removes the apostrophes of an export', async () => {
    const leaseUntil = new Date(Date.now() + 600_000).toISOString();
    const [a, b] = [await mint({ state: 'reserved', leaseUntil }), await mint()];
    const rows = `${a},TRUE,,\n${b},FALSE,undone,x\n${b},FALSE,error,'=Gone\n`;
    const { lines } = await send(`identifier,activate,withdrawalReasonCode,withdrawalReason\n${rows}`, {
      headers: CSV,
    });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 422, 'RESERVED_REASON_CODE'],
      [4, 200, 'changed'],
    ]);
    expect(lines[1].problem.errors[0].pointer).toBe('/withdraw/reasonCode');
    expect(lines[2].record.tombstone).toMatchObject({ reasonCode: 'error', reason: '=Gone' });
  });

  it('sets the previous version, by the rules of a single change, and NDJSON removes it', async () => {
    const [older, newer, other] = [await mint(), await mint(), await mint()];
    const rows = `${newer},${older}\n${older},${newer}\n${other},${service.na}/${'0'.repeat(32)}\n${newer},\n`;
    const body = `identifier,previousVersion\n${rows}`;
    const expected = [
      [2, 200, 'changed'],
      [3, 422, 'INVALID_PREDECESSOR'],
      [4, 422, 'INVALID_PREDECESSOR'],
      [5, 200, 'unchanged'],
    ];
    const dry = await send(body, { headers: CSV, query: '?dryRun=true' });
    expect(dry.lines.map(bare)).toEqual(expected);
    expect([dry.lines[0].old, dry.lines[0].new]).toEqual([
      { previousVersion: null },
      { previousVersion: `hdl:${older}` },
    ]);
    const { lines } = await send(body, { headers: CSV });
    expect(lines.map(bare)).toEqual(expected);
    expect(lines[1].problem.errors[0].pointer).toBe('/previousVersion');
    expect((await read(older)).newerVersions).toEqual([newer]);
    const removed = await send(ndjson({ identifier: newer, previousVersion: null }));
    expect(removed.lines[0]).toMatchObject({ outcome: 'changed', old: { previousVersion: `hdl:${older}` } });
    expect((await read(older)).newerVersions).toEqual([]);
  });

  it('with a stray quotation mark in a row rejects this row, also in a column that is not read', async () => {
    const names = await Promise.all(['a', 'b', 'c'].map((name) => mint({ target: url(name) })));
    const [a, b, c] = names;
    const body = `identifier,target,Note\n${a},${url('1')},x\n${b},${url('1')},the "old" one\n${c},${url('1')},y\n`;
    const { lines } = await send(body, { headers: CSV, query: '?columns=Note:ignore' });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 400, 'INVALID_REQUEST'],
      [4, 200, 'changed'],
    ]);
    expect(await Promise.all(names.map(async (name) => (await read(name)).target))).toEqual([
      url('1'),
      url('b'),
      url('1'),
    ]);
  });

  it('with empty columns at its end, as spreadsheets write them, is read', async () => {
    const identifier = await mint();
    const { lines } = await send(`identifier,target,,\n${identifier},${url('1')},,\n${identifier},,x,\n`, {
      headers: CSV,
    });
    expect(lines.map(bare)).toEqual([
      [2, 200, 'changed'],
      [3, 400, 'INVALID_REQUEST'],
    ]);
  });

  it('with other names of columns is read by a map', async () => {
    const identifier = await mint({ target: url('old') });
    const body = `PID;target;New: URL;Note\n${identifier};${url('no')};${url('new')};x\n`;
    const columns = encodeURIComponent('pid:identifier,New: URL:target,*:ignore');
    const { lines } = await send(body, { headers: CSV, query: `?columns=${columns}` });
    expect(lines.map(bare)).toEqual([[2, 200, 'changed']]);
    expect((await read(identifier)).target).toBe(url('new'));
  });

  it('of an export is read with the version as the condition', async () => {
    const namingAuthority = service.other;
    const minted = await service.client.mint({ namingAuthority, target: url('old') });
    const { identifier } = minted.body;
    const query = `?columns=${encodeURIComponent('identifier:identifier,target:target,version:ifVersion,*:ignore')}`;
    const exported = await fetch(`${service.client.base}/identifiers/export?namingAuthority=${namingAuthority}`, {
      headers: { accept: 'text/csv' },
    });
    const body = (await exported.text()).replaceAll('/old', '/new');
    const { lines } = await send(body, { headers: CSV, query });
    expect(lines.map(bare)).toEqual([[2, 200, 'changed']]);
    const again = await send(body, { headers: CSV, query });
    expect(again.lines.map(bare)).toEqual([[2, 412, 'PRECONDITION_FAILED']]);
    expect((await read(identifier)).target).toBe(url('new'));
  });

  it.each([
    ['an unknown column', 'PID,target\n', '', 'columns=PID:ignore'],
    ['a missing identifier', 'target\n', '', 'the column "identifier" or "metadataId" is missing'],
    [
      'a map that leaves the identifier out',
      'identifier,target\n',
      '*:ignore',
      'leaves it out; add "identifier:identifier"',
    ],
    ['two columns of one member', 'identifier,target,Target\n', '', 'two columns are "target"'],
    ['a map of a column that it lacks', 'identifier,target\n', 'URL:target', 'it has no column "url"'],
    ['a map to an unknown member', 'identifier\n', 'identifier:guid', 'has no such member'],
    ['a map without a colon', 'identifier\n', 'identifier', 'must be "column:member"'],
    ['a map of all others to a member', 'identifier\n', '*:target', 'can only be "*:ignore"'],
    ['nothing', '', '', 'it is empty'],
  ])('with %s is 400 before any line', async (_, body, columns, detail) => {
    const query = columns === '' ? '' : `?columns=${encodeURIComponent(columns)}`;
    const { status, lines } = await send(body, { headers: CSV, query });
    expect([status, lines[0].code]).toEqual([400, 'INVALID_REQUEST']);
    expect(lines[0].detail).toContain(detail);
  });
});
