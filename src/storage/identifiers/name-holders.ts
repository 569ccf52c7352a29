import { Injectable } from '@nestjs/common';
import { arrayOf } from '../array-parameter.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { prepared } from '../prepared.js';
import type { Queryable } from '../transactions.js';

/** A metadata ID in a naming authority. */
export interface MetadataName {
  /** As it was created. */
  readonly namingAuthority: string;
  readonly key: CanonicalName['key'];
}

/** The alternates that an identifier is to have. */
export interface WantedAlternates {
  readonly id: bigint;
  readonly namingAuthority: string;
  readonly names: readonly CanonicalName[];
}

/** An alternate that another identifier has. */
export interface HeldAlternate {
  /** The place of the `WantedAlternates`. */
  readonly ordinal: number;
  /** The place of the alternate in it. */
  readonly index: number;
  /** The identifier that has it. */
  readonly holder: bigint;
}

/** $1: naming authorities; $2: keys of metadata IDs. */
export const HOLDERS_OF_METADATA_IDS = `
  SELECT i.id FROM unnest($1::text[], $2::uuid[]) AS w(naming_authority, key)
  CROSS JOIN LATERAL (
    SELECT x.id FROM identifier x
    WHERE x.metadata_key = w.key
      AND x.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority) OFFSET 0) i`;

/** $1 and $2: ordinals and indexes; $3: naming authorities; $4: keys of alternates; $5: the identifiers that are to have them. */
export const HOLDERS_OF_ALTERNATES = `
  SELECT w.ordinal, w.index, a.identifier_id AS holder
  FROM unnest($1::int[], $2::int[], $3::text[], $4::uuid[], $5::bigint[]) AS w(ordinal, index, naming_authority, key, id)
  CROSS JOIN LATERAL (
    SELECT x.identifier_id FROM alternate_identifier x
    WHERE x.key = w.key
      AND x.naming_authority_id = (SELECT n.id FROM naming_authority n WHERE n.prefix = w.naming_authority)
      AND x.identifier_id <> w.id OFFSET 0) a
  ORDER BY w.ordinal, w.index`;

/** Finds which identifiers have names, for many names at once. */
@Injectable()
export class NameHolders {
  /** The identifiers with these metadata IDs, in any order. The caller compares the metadata IDs themselves. */
  async ofMetadataIds(names: readonly MetadataName[], from: Queryable): Promise<bigint[]> {
    if (names.length === 0) return [];
    const values = [arrayOf(names.map(({ namingAuthority }) => namingAuthority)), arrayOf(names.map(({ key }) => key))];
    const query = prepared('holders-of-metadata-ids', HOLDERS_OF_METADATA_IDS, values, names.length);
    const { rows } = await from.query<{ id: string }>(query);
    return rows.map(({ id }) => BigInt(id));
  }

  /** The alternates that other identifiers have, in order. The caller compares the names themselves. */
  async ofAlternates(wanted: readonly WantedAlternates[], from: Queryable): Promise<HeldAlternate[]> {
    const names = wanted.flatMap(({ id, namingAuthority, names: all }, ordinal) =>
      all.map(({ key }, index) => ({ ordinal, index, namingAuthority, key, id })),
    );
    if (names.length === 0) return [];
    const values = [
      arrayOf(names.map(({ ordinal }) => ordinal)),
      arrayOf(names.map(({ index }) => index)),
      arrayOf(names.map(({ namingAuthority }) => namingAuthority)),
      arrayOf(names.map(({ key }) => key)),
      arrayOf(names.map(({ id }) => id.toString())),
    ];
    const query = prepared('holders-of-alternates', HOLDERS_OF_ALTERNATES, values, names.length);
    const { rows } = await from.query<{ ordinal: number; index: number; holder: string }>(query);
    return rows.map(({ ordinal, index, holder }) => ({ ordinal, index, holder: BigInt(holder) }));
  }
}
