import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import { selectValues, valuesOf } from '../../../../src/handle/values/index.js';
import type { IdentifierRecord } from '../../../../src/registry/identifier-record.js';
import { type StoredValue, isShown } from '../../../../src/registry/stored-value.js';
import { destinationOf, locationsIn } from '../../../../src/handle/resolver/destination/destination.js';
import { queryIn } from '../../../../src/handle/handle-query.js';
import { GUID, recordWith } from '../../../records.js';

const TARGET = 'https://a.example/';
const SECOND = 'https://b.example/';
const LOCATION = 'https://c.example/';
const value = (index: number, type: string, text: string, members: Partial<StoredValue> = {}): StoredValue => ({
  ...{ index, type, data: { format: 'string', value: text }, ttl: 60, permissions: '1110' },
  ...{ timestamp: '2020-01-01T00:00:00Z', ...members },
});
const url = (index: number, text = TARGET) => value(index, 'URL', text);
const alias = (index: number, text = '20.500/a b') => value(index, 'HS_ALIAS', text);
const places = (index: number, href = LOCATION) =>
  value(index, '10320/loc', `<l><location href="${href}" id="0"/><location href="${SECOND}" id="1"/></l>`);

/** The kind of a destination, its location and the index of the value that has it. */
function destinationIn(handleValues: StoredValue[] | null, query = '', members: Partial<IdentifierRecord> = {}) {
  const record = recordWith({ target: TARGET, handleValues, ...members });
  const wanted = queryIn({ originalUrl: `/x?${query}`, method: 'GET' } as FastifyRequest);
  const isSelf = (handle: string): boolean => handle === `100.102/${GUID}`;
  const found = destinationOf(selectValues(valuesOf(record).filter(isShown), wanted), isSelf, wanted, 0);
  return found === null ? null : [found.kind, found.location, found.value.index];
}

describe('the destination of a record', () => {
  it.each([
    ['the target without stored values', null, ['target', TARGET, 1]],
    ['the target as the URL of the lowest index', [url(9, SECOND), url(4)], ['target', TARGET, 4]],
    [
      'the target where no URL value is public',
      [value(1, 'URL', SECOND, { permissions: '1100' })],
      ['target', TARGET, 2],
    ],
    ['the target where other values have lower indexes', [value(1, 'EMAIL', 'a'), url(4)], ['target', TARGET, 4]],
    ['a location before the target', [url(1), places(5)], ['location', LOCATION, 5]],
    ['the location of the lowest index', [places(6, SECOND), places(5)], ['location', LOCATION, 5]],
    ['the target where no location can be followed', [url(1), value(5, '10320/loc', '<l/>')], ['target', TARGET, 1]],
    ['the target where locations are not XML', [url(1), value(5, '10320/loc', 'text')], ['target', TARGET, 1]],
    ['an alias before locations and the target', [url(1), places(2), alias(5)], ['alias', '/20.500/a%20b', 5]],
    ['the alias of the lowest index', [alias(6), alias(5, '1/x')], ['alias', '/1/x', 5]],
    ['the next alias after one that is no Handle', [alias(5, 'text'), alias(6)], ['alias', '/20.500/a%20b', 6]],
    ['an alias with "/" and "?" in its local name', [alias(5, '1/a/b?c')], ['alias', '/1/a%2Fb%3Fc', 5]],
    [
      'the target where the alias is the record itself',
      [url(1), alias(5, ` 100.102/${GUID} `)],
      [...['target', TARGET, 1]],
    ],
    [
      'no value that not everybody may read',
      [
        ...[url(1), value(5, 'HS_ALIAS', '1/x', { permissions: '1100' })],
        ...[value(6, '10320/loc', places(6).data.value as string, { permissions: '1100' })],
      ],
      ['target', TARGET, 1],
    ],
  ])('is %s', (_, values, destination) => {
    expect(destinationIn(values)).toEqual(destination);
  });

  it.each([
    ['without a target', null],
    ['with a URL value that is no target', [url(1, 'ftp://a.example/')]],
  ])('is none %s', (_, values) => {
    expect(destinationIn(values, '', { target: null })).toBeNull();
  });
});

describe('the destination of a request with parameters', () => {
  const values = [url(1), places(2), alias(5), url(7, SECOND), url(8, 'ftp://a.example/')];

  it.each([
    ['ignore_aliases=true', ['location', LOCATION, 2]],
    ['ignore_aliases=false', ['alias', '/20.500/a%20b', 5]],
    ['ignore_aliases=true&locatt=id:1', ['location', SECOND, 2]],
    ['type=URL', ['target', TARGET, 1]],
    ['type=10320/LOC', ['location', LOCATION, 2]],
    ['index=1', ['target', TARGET, 1]],
    ['index=7', ['target', SECOND, 7]],
    ['index=8&index=7', ['target', SECOND, 7]],
    ['index=8', null],
    ['index=2&index=1', ['location', LOCATION, 2]],
    ['type=HS_ALIAS', null],
    ['index=5', null],
    ['type=EMAIL', null],
  ])('%s is chosen among the selected values: %j', (query, destination) => {
    expect(destinationIn(values, query)).toEqual(destination);
  });
});

it('a value object is parsed once, until texts of 4 MiB have been parsed', () => {
  const first = places(1);
  const locations = locationsIn(first);
  expect(locationsIn(first)).toBe(locations);
  expect(locationsIn(places(1))).not.toBe(locations);
  locationsIn(value(2, '10320/loc', `<l>${' '.repeat(4_194_304)}</l>`));
  expect(locationsIn(first)).toEqual(locations);
  expect(locationsIn(first)).not.toBe(locations);
});
