import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { IsString } from 'class-validator';
import { UpdateIdentifierDto } from '../../../src/api/curation/update-identifier.dto.js';
import { describeNamingAuthority } from '../../../src/managing/described-naming-authority.js';
import {
  CreateNamingAuthorityDto,
  UpdateNamingAuthorityDto,
} from '../../../src/api/naming-authorities/naming-authority-settings.dto.js';
import { FastRules } from '../../../src/http/validation/fast-rules.js';
import { Optional } from '../../../src/http/validation/member-decorators.js';
import { Computed, ReadOnly, requireReadOnly } from '../../../src/http/validation/read-only.js';
import { readPart } from '../../../src/http/validation/request-validation.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { Problem } from '../../../src/problem/problem.js';
import { serializeRecord, snapshotOf } from '../../../src/registry/identifier-record.js';
import { authorityWith, recordWith } from '../../records.js';

class ChangeDto {
  @Optional()
  @IsString()
  title?: string;

  @ReadOnly()
  version?: number;

  @ReadOnly()
  tombstone?: object | null;

  @Computed()
  counts?: object;
}

const namesOf = (dto: new () => object) => FastRules.of(dto).names;

const CURRENT = { title: 'a', version: 3, tombstone: { reason: 'x', at: { day: 1 } }, counts: { n: 1 } };

/** The pointers of the rejection; empty for an accepted change. */
function rejected(change: object): string[] {
  try {
    requireReadOnly(ChangeDto, change, CURRENT);
    return [];
  } catch (error) {
    if (!(error instanceof Problem) || error.code !== 'READ_ONLY_MEMBER') throw error;
    return (error.extensions.errors ?? []).map(({ pointer }) => pointer);
  }
}

describe('a read-only member', () => {
  it.each<[object, string[]]>([
    [{}, []],
    [CURRENT, []],
    [{ title: 'b', version: 3 }, []],
    [{ tombstone: { at: { day: 1 }, reason: 'x' } }, []],
    [{ counts: 'anything' }, []],
    [{ version: 2 }, ['/version']],
    [{ version: '3' }, ['/version']],
    [{ version: null, tombstone: null }, ['/version', '/tombstone']],
    [{ tombstone: { reason: 'x', at: { day: 2 } } }, ['/tombstone']],
  ])('of %j is rejected at %j', (change, pointers) => {
    expect(rejected(change)).toEqual(pointers);
  });

  it.each([null, 7, 'x', [], { a: [{}] }])('has any format, as %j', (value) => {
    expect(FastRules.of(ChangeDto).accept({ version: value, tombstone: value, counts: value })).toBe(true);
    expect(readPart(ChangeDto, { version: value, counts: value })).toMatchObject({ version: value });
  });

  it('does not permit unknown members', () => {
    expect(FastRules.of(ChangeDto).accept({ version: 3, colour: 'red' })).toBe(false);
    expect(() => readPart(ChangeDto, { version: 3, colour: 'red' })).toThrow(/^INVALID_REQUEST: \/colour/);
  });
});

describe('a change', () => {
  it('of an identifier permits every member of its representation', () => {
    const { uris, ...record } = snapshotOf(recordWith(), DEFAULT_RESOLVER);
    const ofMints = ['metadataRecord', 'ignored', 'understood', 'repairs'];
    const names = [...Object.keys(serializeRecord(record, uris)), ...ofMints];
    expect(namesOf(UpdateIdentifierDto)).toEqual(names.sort());
  });

  it('of a naming authority permits every member of its representation', () => {
    const count = { value: 0, isExact: true };
    const counts = { reserved: count, active: count, withdrawn: count };
    const shown = describeNamingAuthority({ namingAuthority: authorityWith(), parent: null, children: [] }, counts);
    expect(namesOf(UpdateNamingAuthorityDto)).toEqual(Object.keys(shown).sort());
  });

  it('is not what creates a naming authority, whose profile is set', () => {
    expect(() => {
      readPart(CreateNamingAuthorityDto, { namingAuthority: '1', profile: 'x' });
    }).toThrow(/^INVALID_REQUEST: \/profile/);
    const names = namesOf(CreateNamingAuthorityDto);
    expect([names.includes('profile'), names.includes('version')]).toEqual([true, false]);
  });
});
