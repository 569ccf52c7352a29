import 'reflect-metadata';
import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { plainToInstance } from 'class-transformer';
import { IsString, validateSync } from 'class-validator';
import fc from 'fast-check';
import { CreateApiKeyDto } from '../../../src/api/api-keys/api-key.dto.js';
import { EventsQueryDto } from '../../../src/api/events/events-query.dto.js';
import { FastRules } from '../../../src/http/validation/fast-rules.js';
import { PageQueryDto } from '../../../src/http/validation/page-query.dto.js';
import { ListQueryDto } from '../../../src/api/lookup/list-query.dto.js';
import { BatchQueryDto, BatchRequestDto, MintItemDto } from '../../../src/api/minting/batch.dto.js';
import { MintRequestDto } from '../../../src/api/minting/mint-request.dto.js';
import { CreateNamingAuthorityDto } from '../../../src/api/naming-authorities/naming-authority-settings.dto.js';
import { NormalizeRequestDto } from '../../../src/api/normalization/normalize-request.dto.js';
import { TransferLineDto } from '../../../src/api/import-export/transfer-line.dto.js';

type Dto = new () => object;

/** The result of class-validator for a value. */
const isValid = (dto: Dto, value: object, instance = plainToInstance(dto, value)) =>
  validateSync(instance, {
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
  }).length === 0;

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const TIME = '2126-11-20T09:30:00Z';
const RESOLVER = { scheme: 'https', authority: 'repo.example.org' };

/** A value of each DTO with all members, including combinations that are not permitted. */
const WHOLE: readonly (readonly [Dto, Record<string, unknown>])[] = [
  [
    MintRequestDto,
    {
      ...{ namingAuthority: '100.102', metadataId: 'hdl:1/a', mintMetadataId: false, target: 'https://a.example/1' },
      ...{ alternateIds: ['info:fedora/demo:7'], guid: 'F58F', localName: 'x', state: 'active', leaseUntil: TIME },
      ...{ previousVersion: '100.102/F58FB49EB1F848F0A606E84CEF294BE5', onExisting: 'reject' },
    },
  ],
  [MintItemDto, { clientRef: 'row 7', namingAuthority: '100.102', metadataId: 'hdl:1/a', target: 'http://a.example/' }],
  [BatchRequestDto, { namingAuthority: '100.102', count: 3, items: [{}] }],
  [
    NormalizeRequestDto,
    { items: [{ input: 'hdl:1/a', kind: 'handle', context: { caseInsensitive: true, resolver: RESOLVER } }] },
  ],
  [
    CreateApiKeyDto,
    { client: 'repo', scopes: ['mint'], namingAuthorities: [{ namingAuthority: '100.102', derived: true }] },
  ],
  [
    CreateNamingAuthorityDto,
    { namingAuthority: '100.102.7', profile: 'handle', caseInsensitive: true, resolver: RESOLVER },
  ],
  [
    TransferLineDto,
    {
      ...{ identifier: '100.102/F58FB49EB1F848F0A606E84CEF294BE5', metadataId: null, target: null, alternateIds: [] },
      ...{ language: 'de', previousVersion: '77.7/a', handleValues: null, hiddenValues: 0 },
      ...{ state: 'withdrawn', version: 2, createdAt: TIME, updatedAt: TIME, leaseUntil: null },
      tombstone: { withdrawnAt: TIME, reasonCode: 'legal', reason: 'gone', replacedBy: null },
    },
  ],
];

const wrong = fc.constantFrom<unknown>(
  ...[undefined, null, '', 'x', 'x'.repeat(9000), '\u0000', '\ud800', 0, -1, 1.5, 2 ** 31, true, [], [null], ['x']],
  ...[
    {},
    { a: 1 },
    [{}],
    [[]],
    'javascript:alert(1)',
    '2026-02-30T00:00:00Z',
    ['x', 1],
    [{ input: 1 }],
    [{ input: 'x' }],
  ],
);

/** The value with some members, at any depth, removed, changed or added. */
function spoilt(value: unknown): fc.Arbitrary<unknown> {
  if (Array.isArray(value)) return fc.oneof({ weight: 4, arbitrary: fc.tuple(...value.map(spoilt)) }, wrong);
  if (typeof value !== 'object' || value === null)
    return fc.oneof({ weight: 12, arbitrary: fc.constant(value) }, wrong);
  const members = Object.entries(value).map(([name, member]) => [name, spoilt(member)] as const);
  const some = fc.record(Object.fromEntries(members), { requiredKeys: [] });
  const more = fc.oneof(
    { weight: 8, arbitrary: fc.constant({}) },
    fc.dictionary(fc.constantFrom('colour', 'a'), wrong),
  );
  return fc.tuple(some, more).map(([described, added]) => ({ ...described, ...added }));
}

describe.each(WHOLE.map(([dto, value]) => [dto.name, dto, value] as const))('%s', (_, dto, value) => {
  it('is accepted with all members', () => {
    expect(isValid(dto, value)).toBe(true);
    expect(FastRules.of(dto).accept(value)).toBe(true);
  });

  it('is accepted only if class-validator accepts it, with the same value as its instance', () => {
    const object = spoilt(value).filter((each) => typeof each === 'object' && each !== null && !Array.isArray(each));
    let accepted = 0;
    fc.assert(
      fc.property(object, (each) => {
        const instance = plainToInstance(dto, each);
        // Readers do not distinguish an absent member from an undefined one.
        const says = isValid(dto, each as object, instance) && isDeepStrictEqual(plain(instance), plain(each));
        if (says) accepted += 1;
        expect(FastRules.of(dto).accept(each)).toBe(says);
      }),
      // Of the largest object, some 15 in 1,000 are accepted.
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

/** The values of a query parameter: absent, a text, or several. */
const said = fc.constantFrom<unknown>(
  ...['7', '0', '1000', '1001', '07', '-1', '1e2', '', 'x', 'active', 'gone', 'hdl:1/a', 'https://a.example/ä', TIME],
  ...['x'.repeat(20_000), ['7', '8'], [], '2026-02-30T00:00:00Z', '9999999999', ' 7'],
);

const QUERIED = [
  ...['limit', 'cursor', 'wait', 'mode', 'namingAuthority', 'metadataId', 'alternateId', 'state', 'target'],
  ...['createdFrom', 'createdBefore', 'colour', '__proto__', 'constructor'],
];

const QUERIES: readonly Dto[] = [ListQueryDto, BatchQueryDto, EventsQueryDto, PageQueryDto];

describe.each(QUERIES.map((dto) => [dto.name, dto] as const))('the query %s', (_, dto) => {
  it('is read only where class-validator finds nothing wrong, and then as class-transformer reads it', () => {
    let accepted = 0;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...QUERIED), said, { maxKeys: 4 }), (query) => {
        const instance = plainToInstance(dto, query);
        const isRead = FastRules.of(dto).read(query);
        if (isRead === null) return;
        accepted += 1;
        expect(isValid(dto, query, instance)).toBe(true);
        expect(isRead).toBeInstanceOf(dto);
        expect({ ...isRead }).toEqual({ ...instance });
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(10);
  });
});

it('parses the digits of a query as a number, and adds the defaults', () => {
  expect(FastRules.of(EventsQueryDto).read({ wait: '7' })).toEqual({ wait: 7, limit: 50, sort: 'at' });
});

it('accepts nothing that is no object, and nothing for a class without rules', () => {
  class Free {
    any: string;
  }
  for (const value of [null, undefined, 'x', 1, []]) expect(FastRules.of(MintRequestDto).accept(value)).toBe(false);
  expect(FastRules.of(Free).accept({})).toBe(false);
});

it('accepts no inherited member', () => {
  class Named {
    @IsString()
    constructorName: string;
  }
  expect(FastRules.of(Named).accept({ constructorName: 'x' })).toBe(true);
  expect(FastRules.of(Named).accept({ constructorName: 'x', constructor: 'y' })).toBe(false);
});
