import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { linesIn } from '../harness/changes.js';
import { query } from '../harness/database.js';
import { freshGuid, freshPid } from '../harness/fresh-names.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const service = useService();
const { created } = authoritiesOf(service);
const NDJSON = { 'content-type': 'application/x-ndjson' };
const CSV = { 'content-type': 'text/csv' };
const TEMPLATED = '100.102.7';
const target = (name: string) => `https://repo.example.org/${name}`;
const send = async (body: string, headers: Record<string, string>, search = '') => {
  const answer = await fetch(`${service.server.url}/identifiers/import${search}`, { method: 'POST', headers, body });
  return { status: answer.status, headers: answer.headers, lines: linesIn(await answer.text()) };
};
const bare = ({ status, outcome, problem }: any) => [status, problem?.code ?? outcome];
const read = async (identifier: string) => (await service.client.get(`/identifiers/${identifier}`)).body;
const count = async () =>
  (await query<{ n: number }>(service.database.url, 'SELECT count(*)::int AS n FROM identifier'))[0]!.n;

beforeAll(async () => {
  const fields = { namingAuthority: TEMPLATED, targetTemplate: 'https://repo.example.org/by-template/{guid}' };
  expect((await service.client.post('/naming-authorities', fields)).status).toBe(201);
});

describe('the members state, version, createdAt and updatedAt of an import', () => {
  const whole = {
    ...{ state: 'reserved', leaseUntil: '2126-01-01T00:00:00.000Z', version: 7 },
    ...{ createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2021-01-01T00:00:00.000Z' },
  };
  const absent = {
    state: { leaseUntil: undefined },
    version: {},
    createdAt: {},
    updatedAt: {},
  } as const;

  it.each(Object.entries(absent))('are each optional in NDJSON and CSV: %s', async (name, more) => {
    const values: Record<string, any> = { target: target('1'), ...whole, [name]: undefined, ...more };
    const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
    const expected = {
      ...sent,
      ...(name === 'state' && { state: 'active' }),
      ...(name === 'version' && { version: 1 }),
      ...(name === 'createdAt' && { createdAt: whole.updatedAt }),
      ...(name === 'updatedAt' && { updatedAt: whole.createdAt }),
    };
    const [one, other] = [`100.102/${freshGuid()}`, `100.102/${freshGuid()}`];
    const line = `${JSON.stringify({ identifier: one, ...sent })}\n`;
    const csv = `identifier,${Object.keys(sent).join()}\n${other},${Object.values(sent).join()}\n`;
    for (const outcome of [
      [201, 'imported'],
      [200, 'unchanged'],
    ]) {
      expect((await send(line, NDJSON)).lines.map(bare)).toEqual([outcome]);
      expect((await send(csv, CSV)).lines.map(bare)).toEqual([outcome]);
    }
    expect(await read(one)).toMatchObject(expected);
    expect(await read(other)).toMatchObject(expected);
    const changed = { identifier: one, ...sent, target: target('2') };
    expect((await send(JSON.stringify(changed), NDJSON)).lines.map(bare)).toEqual([[409, 'IDENTIFIER_TAKEN']]);
  });

  it('are all optional: the identifier is active, new and of this moment', async () => {
    const identifier = `100.102/${freshGuid()}`;
    const before = Date.now();
    const sent = { identifier, state: null, version: null, createdAt: null, updatedAt: null };
    expect((await send(JSON.stringify(sent), NDJSON)).lines.map(bare)).toEqual([[201, 'imported']]);
    const { state, version, createdAt, updatedAt } = await read(identifier);
    expect([state, version, updatedAt]).toEqual(['active', 1, createdAt]);
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1);
    expect((await send(JSON.stringify(sent), NDJSON)).lines.map(bare)).toEqual([[200, 'unchanged']]);
  });
});

describe('a reservation of an import', () => {
  it('that has ended since is unchanged, and one that had ended is the same', async () => {
    const leaseUntil = new Date(Date.now() + 2000).toISOString();
    const whole = { state: 'reserved', leaseUntil, version: 3, createdAt: '2020-01-01T00:00:00.000Z' };
    const line = (identifier: string) =>
      JSON.stringify({ identifier, target: target('1'), ...whole, updatedAt: '2021-01-01T00:00:00.000Z' });
    const [one, other] = [`100.102/${freshGuid()}`, `100.102/${freshGuid()}`];
    expect((await send(line(one), NDJSON)).lines.map(bare)).toEqual([[201, 'imported']]);
    await pause(Date.parse(leaseUntil) - Date.now() + 100);
    const again = `${line(one)}\n${line(other)}\n${line(other)}\n`;
    expect((await send(again, NDJSON)).lines.map(bare)).toEqual([
      [200, 'unchanged'],
      [201, 'imported'],
      [200, 'unchanged'],
    ]);
    expect((await send(again, NDJSON)).lines.map(({ outcome }) => outcome)).toEqual(Array(3).fill('unchanged'));
    const rows = await query<{ version: number; updated_at: Date }>(
      service.database.url,
      `SELECT version, updated_at FROM identifier WHERE guid = '${other.slice(8)}'`,
    );
    expect(rows).toMatchObject([{ version: 4, updated_at: new Date(leaseUntil) }]);
  });
});

describe('the reason code of a withdrawn identifier in a list', () => {
  it('is "other" when absent, in NDJSON and CSV, and is compared with the registered one', async () => {
    const [one, other] = [`100.102/${freshGuid()}`, `100.102/${freshGuid()}`];
    const withdrawnAt = '2020-01-01T00:00:00.000Z';
    const line = (fields: object) =>
      JSON.stringify({ identifier: one, state: 'withdrawn', tombstone: { withdrawnAt, reason: 'x', ...fields } });
    const csv = (code: string) =>
      `identifier,state,withdrawnAt,withdrawalReasonCode,withdrawalReason\n${other},withdrawn,${withdrawnAt},${code},x\n`;
    for (const outcome of [
      [201, 'imported'],
      [200, 'unchanged'],
    ]) {
      expect((await send(line({}), NDJSON)).lines.map(bare)).toEqual([outcome]);
      expect((await send(csv(''), CSV)).lines.map(bare)).toEqual([outcome]);
    }
    for (const identifier of [one, other]) expect((await read(identifier)).tombstone.reasonCode).toBe('other');
    const contradictions = [
      ...(await send(line({ reasonCode: 'legal' }), NDJSON)).lines,
      ...(await send(csv('legal'), CSV)).lines,
    ];
    expect(contradictions.map(bare)).toEqual(contradictions.map(() => [409, 'IDENTIFIER_TAKEN']));
  });
});

describe('the target template of a naming authority', () => {
  const byTemplate = (identifier: string) => `https://repo.example.org/by-template/${identifier.split('/')[1]!}`;

  it('gives targets to the lines of a list without one, in NDJSON and CSV', async () => {
    const [a, b, c, d] = Array.from({ length: 4 }, () => `${TEMPLATED}/${freshGuid()}`) as [
      string,
      string,
      string,
      string,
    ];
    const rows = `identifier,target\n${a},\n${b},${target('own')}\n`;
    const lines = `{"identifier":"${c}"}\n{"identifier":"${d}","target":null}\n`;
    for (const outcome of [
      [201, 'imported'],
      [200, 'unchanged'],
    ]) {
      expect((await send(rows, CSV)).lines.map(bare)).toEqual([outcome, outcome]);
      expect((await send(lines, NDJSON)).lines.map(bare)).toEqual([outcome, outcome]);
    }
    const targets = await Promise.all([a, b, c, d].map(async (identifier) => (await read(identifier)).target));
    expect(targets).toEqual([byTemplate(a), target('own'), byTemplate(c), null]);
  });

  it('gives none to a row of an export, which says that there is none', async () => {
    const identifier = `${TEMPLATED}/${freshGuid()}`;
    const row = `${identifier},,active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z`;
    await send(`identifier,target,state,version,createdAt,updatedAt\n${row}\n`, CSV);
    expect((await read(identifier)).target).toBeNull();
  });
});

describe('an import with dryRun=true', () => {
  it('returns what an import of each line alone returns, and imports nothing', async () => {
    const [taken, a, b, c] = Array.from({ length: 4 }, () => `100.102/${freshGuid()}`) as [
      string,
      string,
      string,
      string,
    ];
    const [pid, alternate] = [freshPid(), freshPid()];
    await send(JSON.stringify({ identifier: taken, metadataId: pid }), NDJSON);
    const lines = [
      { identifier: taken, metadataId: pid },
      { identifier: taken, target: target('x') },
      { identifier: a, alternateIds: [alternate] },
      { identifier: a, alternateIds: [alternate] },
      { identifier: a, target: target('x') },
      { identifier: b, alternateIds: [alternate] },
      { identifier: b, metadataId: pid },
      { identifier: '54321/1' },
      { identifier: c, version: 0 },
    ];
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const before = await count();
    const previewed = (await send(body, NDJSON, '?dryRun=true')).lines;
    expect(await count()).toBe(before);
    const imported = [201, 'imported'];
    const [known, others] = [previewed.slice(0, 2), previewed.slice(6)].map((some) => some.map(bare));
    expect(known).toEqual([
      [200, 'unchanged'],
      [409, 'IDENTIFIER_TAKEN'],
    ]);
    expect(previewed.slice(2, 6).map(bare)).toEqual([imported, imported, imported, imported]);
    expect(others).toEqual([
      [409, 'METADATA_ID_TAKEN'],
      [422, 'UNKNOWN_NAMING_AUTHORITY'],
      [400, 'INVALID_REQUEST'],
    ]);
    const { lines: results } = await send(body, NDJSON);
    expect(results.map(bare)).toEqual([
      ...known!,
      ...[imported, [200, 'unchanged'], [409, 'IDENTIFIER_TAKEN'], [409, 'ALTERNATE_ID_TAKEN']],
      ...others!,
    ]);
    expect([results[0], results[1], ...results.slice(6)]).toEqual([...previewed.slice(0, 2), ...previewed.slice(6)]);
    expect(await count()).toBe(before + 1);
  });
});

describe('an import of lines with one identifier', () => {
  const time = '2020-01-01T00:00:00Z';
  const registry = { state: 'active', version: 2, createdAt: time, updatedAt: time };
  const tombstone = { withdrawnAt: time, reasonCode: 'other', reason: 'x', replacedBy: null };
  const long = target('x'.repeat(100));

  it('compares a line by what it has, as a dry run does afterwards', async () => {
    const [a, b, c, d, e, f] = Array.from({ length: 6 }, () => `100.102/${freshGuid()}`) as [string, ...string[]];
    const [pid, taken, x, y] = [freshPid(), freshPid(), freshPid(), freshPid()];
    await send(JSON.stringify({ identifier: `100.102/${freshGuid()}`, metadataId: taken }), NDJSON);
    const lines = [
      { identifier: a, metadataId: pid, target: long },
      { identifier: a },
      { identifier: a, target: long },
      { identifier: a, target: `${long}y` },
      { identifier: b, ...registry, alternateIds: [x, y] },
      { identifier: b, version: 2 },
      { identifier: b, ...registry },
      { identifier: b, createdAt: time, alternateIds: [x, y] },
      { identifier: c, state: 'withdrawn', tombstone },
      { identifier: c },
      { identifier: d },
      { identifier: d, metadataId: taken },
      { identifier: e, metadataId: taken },
      { identifier: e, metadataId: pid },
      { identifier: f, alternateIds: [x], metadataId: taken },
    ];
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { lines: results } = await send(body, NDJSON);
    expect(results.map(bare)).toEqual([
      [201, 'imported'],
      [200, 'unchanged'],
      [200, 'unchanged'],
      [409, 'IDENTIFIER_TAKEN'],
      [201, 'imported'],
      [200, 'unchanged'],
      [409, 'IDENTIFIER_TAKEN'],
      [200, 'unchanged'],
      [201, 'imported'],
      [409, 'IDENTIFIER_TAKEN'],
      [201, 'imported'],
      [409, 'IDENTIFIER_TAKEN'],
      [409, 'METADATA_ID_TAKEN'],
      [409, 'METADATA_ID_TAKEN'],
      [409, 'METADATA_ID_TAKEN'],
    ]);
    const repeated = results.map(bare).map((each) => (each[0] === 201 ? [200, 'unchanged'] : each));
    expect((await send(body, NDJSON, '?dryRun=true')).lines.map(bare)).toEqual(repeated);
  });

  it('compares the spelling of the identifier, and the cells that a row of CSV has', async () => {
    const namingAuthority = await created({ profile: 'handle', caseInsensitive: true });
    const body = `identifier,target\n${namingAuthority}/a,${long}\n${namingAuthority}/a,\n${namingAuthority}/A,\n`;
    const { lines } = await send(body, CSV);
    expect(lines.map(({ status }: any) => status)).toEqual([201, 200, 409]);
    expect(lines[2].problem.detail).toContain('other values (identifier)');
    expect((await send(body, CSV, '?dryRun=true')).lines.map(({ status }: any) => status)).toEqual([200, 200, 409]);
  });
});

describe('white space at the end of an imported identifier', () => {
  it.each([' ', '\u00a0'])('%j is rejected under the profile "handle", and kept where it is escaped', async (space) => {
    const namingAuthority = await created({ profile: 'handle' });
    const escaped = `hdl:${namingAuthority}/b${encodeURIComponent(space)}`;
    const body = [`${namingAuthority}/a${space}`, `hdl:${namingAuthority}/a${space}`, escaped, ` ${namingAuthority}/c`]
      .map((identifier) => `${JSON.stringify({ identifier })}\n`)
      .join('');
    for (const search of ['?dryRun=true', '']) {
      const { lines } = await send(body, NDJSON, search);
      expect(lines.map(bare)).toEqual([
        [400, 'INVALID_REQUEST'],
        [400, 'INVALID_REQUEST'],
        [201, 'imported'],
        [201, 'imported'],
      ]);
      expect(lines[0].problem.detail).toContain(`hdl:${namingAuthority}/a${encodeURIComponent(space)}`);
      expect([lines[2].identifier, lines[3].identifier]).toEqual([
        `${namingAuthority}/b${space}`,
        `${namingAuthority}/c`,
      ]);
    }
    const exported = await fetch(`${service.server.url}/identifiers/export?namingAuthority=${namingAuthority}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    const text = await exported.text();
    expect(text).toContain(escaped);
    expect((await send(text, NDJSON)).lines.map(bare)).toEqual([
      [200, 'unchanged'],
      [200, 'unchanged'],
    ]);
  });

  it.each(['ü'.repeat(4095), '%'.repeat(8191)])('is kept by an export of a name of maximum length', async (name) => {
    const namingAuthority = await created({ profile: 'handle' });
    const minted = await service.client.post('/identifiers', { namingAuthority, localName: `${name} ` });
    expect(minted.status).toBe(201);
    const exported = await fetch(`${service.server.url}/identifiers/export?namingAuthority=${namingAuthority}`, {
      headers: { accept: 'application/x-ndjson' },
    });
    expect((await send(await exported.text(), NDJSON)).lines.map(bare)).toEqual([[200, 'unchanged']]);
    const { cordraPath } = minted.body.uris;
    const { body } = await service.client.post('/identifiers/lookup', { items: [cordraPath] });
    expect(body.items[0].outcome).toBe('found');
  });
});

it('rejects a local name of more than 8,192 bytes, also in a dry run', async () => {
  const namingAuthority = await created({ profile: 'handle' });
  const names = ['a'.repeat(8193), `${'ü'.repeat(4096)}a`, '%61'.repeat(8193)];
  const identifiers = names.map((name, index) => `${index === 2 ? 'hdl:' : ''}${namingAuthority}/${name}`);
  const body = identifiers.map((identifier) => `${JSON.stringify({ identifier })}\n`).join('');
  for (const search of ['?dryRun=true', '']) {
    expect((await send(body, NDJSON, search)).lines.map(bare)).toEqual(names.map(() => [400, 'INVALID_REQUEST']));
  }
});

it('accepts null for members that may be absent', async () => {
  const identifier = `100.102/${freshGuid()}`;
  const { lines } = await send(
    `${JSON.stringify({ identifier, hiddenValues: null, version: null, state: null })}\n`,
    NDJSON,
  );
  expect(lines.map(bare)).toEqual([[201, 'imported']]);
});

describe('the columns of an import', () => {
  it('are named by columns', async () => {
    const identifier = `100.102/${freshGuid()}`;
    const search = `?columns=${encodeURIComponent('PID:identifier,New URL:target,*:ignore')}`;
    const { lines } = await send(`PID;Title;New URL\n${identifier};x; ${target('3')} \n`, CSV, search);
    expect(lines.map(bare)).toEqual([[201, 'imported']]);
    expect((await read(identifier)).target).toBe(target('3'));
  });

  it('are rejected before any line where the map does not fit, and for NDJSON', async () => {
    for (const [columns, headers, body] of [
      ['PID:guid', CSV, 'PID\n'],
      ['URL:target', CSV, 'identifier\n'],
      ['PID:identifier', NDJSON, '{}'],
    ] as const) {
      const { status, lines } = await send(body, headers, `?columns=${columns}`);
      expect([status, lines[0].code]).toEqual([400, 'INVALID_REQUEST']);
    }
  });
});

describe('an export', () => {
  const download = async (search: string, accept = '*/*') => {
    const answer = await fetch(`${service.server.url}/identifiers/export${search}`, { headers: { accept } });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: Buffer.from(await answer.arrayBuffer()).toString(),
    };
  };

  it('has the columns and the delimiter of the query, and can be imported', async () => {
    const fields = { namingAuthority: '2000.01', target: target('a;b'), guid: freshGuid() };
    const { identifier } = (await service.client.post('/identifiers', fields)).body;
    const { type, text } = await download('?namingAuthority=2000.01&columns=Target,identifier&delimiter=;');
    expect(type).toBe('text/csv; charset=utf-8; header=present');
    expect(text).toBe(`"target";"identifier"\r\n"https://repo.example.org/a;b";"${identifier}"\r\n`);
    expect((await send(text, CSV)).lines.map(bare)).toEqual([[200, 'unchanged']]);
    const all = (await download('?namingAuthority=2000.01&delimiter=;&excel=true')).text;
    expect(all.startsWith('\ufeff"identifier";"metadataId";"target";"language";"state"')).toBe(true);
  });

  it.each([
    ['?columns=identifier,owner', '*/*', 400, 'columns'],
    ['?columns=identifier,IDENTIFIER', '*/*', 400, 'columns'],
    ['?columns=', '*/*', 400, 'columns'],
    ['?delimiter=:', '*/*', 400, 'delimiter'],
    ['?columns=identifier', 'application/x-ndjson', 406, undefined],
  ])('with %s as %s is %i', async (search, accept, status, parameter) => {
    const answer = await download(search, accept);
    expect([answer.status, JSON.parse(answer.text).errors?.[0].parameter]).toEqual([status, parameter]);
  });
});
