import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { exchange } from '../harness/exchange.js';
import { useService } from '../harness/service.js';

interface Row {
  readonly row: number;
  readonly method: string;
  readonly target: string;
  readonly headers: Record<string, string>;
  readonly body: string | null;
  readonly status: number;
  readonly contentType: string | null;
  readonly responseBody: string;
}

interface Listed {
  readonly row: number;
  readonly reason: string;
}

interface Difference extends Listed {
  readonly status: number;
  readonly code: number | string;
}

const read = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const { rows } = read('../handle-api/recorded/reading.json') as { rows: Row[] };
const { differences, needsStoredValues, notOfTheResolver } = read('../handle-api/recorded/differences.json') as {
  differences: Difference[];
  needsStoredValues: Listed[];
  notOfTheResolver: Listed[];
};

const numbers = (list: readonly Listed[]) => new Set(list.map(({ row }) => row));
const omitted = new Set([...numbers(needsStoredValues), ...numbers(notOfTheResolver)]);

const service = useService();

/** The records of the exchanges, with their URL as the target; its other values cannot be stored. */
const RECORDS: Readonly<Record<string, string | null>> = {
  URL1: 'https://repo.example.org/1',
  LOC: null,
  'a b': 'https://repo.example.org/space',
  'a/b/c': 'https://repo.example.org/slash',
  'q?x#y%z': 'https://repo.example.org/q',
  é: 'https://repo.example.org/e',
  'plus+1': 'https://repo.example.org/plus',
  MiXed: 'https://repo.example.org/mixed',
};

beforeAll(async () => {
  const { client } = service;
  const [parent, namingAuthority] = ['21', '21.T14999'];
  const rules = { profile: 'handle', caseInsensitive: true };
  expect((await client.post('/naming-authorities', { namingAuthority: parent })).status).toBe(201);
  expect((await client.post('/naming-authorities', { namingAuthority, ...rules })).status).toBe(201);
  for (const [localName, target] of Object.entries(RECORDS)) {
    const fields = { namingAuthority, localName, ...(target !== null && { target }) };
    expect((await client.mint(fields)).status).toBe(201);
  }
});

/** `/api/handles/H?q` is `/H?action=api&q` at the proxy. */
const targetOf = (target: string): string => {
  const [path = '', query] = target.replace('/api/handles', '').split('?');
  return `${path}?action=api${query === undefined ? '' : `&${query}`}`;
};

/** A body without what depends on the day and on other stored values: a function name, and the members in order. */
function shapeOf(text: string): unknown {
  const [, callback = null, json = text] = /^([\w$]+)\((.*)\);\n?$/s.exec(text) ?? [];
  if (json === '') return null;
  const { values, ...members } = JSON.parse(json);
  const urls = values?.filter(({ type }: { type: string }) => type === 'URL');
  const shown = urls?.map(({ timestamp, ...value }: any) => [
    Object.keys(value),
    value,
    /^[-\d]+T[:\d]+Z$/.test(timestamp),
  ]);
  return { callback, order: Object.keys(JSON.parse(json)), isIndented: json.includes('\n  '), members, values: shown };
}

const send = ({ method, target, headers, body }: Row) =>
  exchange(service.server.url, targetOf(target), { method, headers, ...(body !== null && { body }) });

describe('the exchanges with Handle.Net', () => {
  const same = rows.filter(({ row }) => !omitted.has(row) && !numbers(differences).has(row));

  it.each(same.map((row) => [row.row, row.method, row.target, row] as const))(
    'number %i, %s %s, has the same response',
    async (_number, _method, _target, row) => {
      const { status, headers, text } = await send(row);
      expect([status, headers['content-type'], shapeOf(text)]).toEqual([
        row.status,
        row.contentType,
        shapeOf(row.responseBody),
      ]);
    },
  );

  it.each(differences.map((difference) => [difference.row, difference.reason, difference] as const))(
    'number %i differs as listed: %s',
    async (number, _reason, difference) => {
      const row = rows.find((each) => each.row === number)!;
      const { status, text } = await send(row);
      const { responseCode, code } = JSON.parse(text);
      expect([status, responseCode ?? code]).toEqual([difference.status, difference.code]);
      const isSame =
        status === row.status && JSON.stringify(shapeOf(text)) === JSON.stringify(shapeOf(row.responseBody));
      expect(isSame).toBe(false);
    },
  );

  it('are listed once each, with a reason', () => {
    const listed = [...differences, ...needsStoredValues, ...notOfTheResolver];
    expect(numbers(listed).size).toBe(listed.length);
    const known = numbers(rows.map(({ row }) => ({ row, reason: '' })));
    expect(listed.filter(({ row, reason }) => !known.has(row) || reason.length < 10)).toEqual([]);
    expect(same.length).toBeGreaterThan(30);
  });
});
