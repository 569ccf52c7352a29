import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { arrayOf, hiddenArrays } from '../statement.js';
import { isAt } from '../../registry/key-collision.js';
import type { CanonicalName } from '../../registry/canonical-name.js';
import { type Address, type NamingAuthoritySnapshot, addressIn } from '../../registry/naming-authority-snapshot.js';
import type { Queryable } from '../transactions.js';

/** A name, and the naming authority of the record that has it as its metadata ID, its alternate or its own name. */
export type UniqueName = { readonly namingAuthority: string; readonly name: CanonicalName } & (
  | { readonly kind: 'metadataId' | 'alternateId'; readonly address?: undefined }
  | { readonly kind: 'identifier'; readonly address: Address }
);

/** The identifier that has the key of a unique name. */
export interface NameHolder {
  readonly id: bigint;
  readonly namingAuthority: string;
  readonly localName: string;
  /** Whether the identifier has exactly this name, rather than another name with the same key. */
  readonly isSame: boolean;
  /** Whether the identifier is an expired reservation, which releases its names when the expiry is recorded. */
  readonly isExpired: boolean;
  /** Whether the identifier is withdrawn for legal reasons, so that its metadata ID and alternates are hidden. Default: false. */
  readonly isLegal?: boolean;
}

/**
 * $1: ordinals; $2: naming authorities; $3: keys of metadata IDs; $4: keys of alternates; $5: canonical names; $6: their rules; $7: GUIDs;
 * $8: keys of local names. A record can have 100 names, so SQL compares them. For OFFSET 0, see "Planner assumptions" in architecture.md.
 */
const FIND_HOLDERS = `
  WITH w AS MATERIALIZED (
    SELECT u.*, (SELECT n.id FROM naming_authority n WHERE n.prefix = u.naming_authority) AS naming_authority_id
    FROM unnest(${hiddenArrays('int', 'text', 'uuid', 'uuid', 'text', 'text', 'uuid', 'uuid')})
      AS u(ordinal, naming_authority, metadata_key, alternate_key, name, rule, guid, local_key)
  ), held AS (
    SELECT w.ordinal, i.id, compared_name(i.metadata_id, w.rule) = compared_name(w.name, w.rule) AS is_same
    FROM w CROSS JOIN LATERAL (
      SELECT x.id, x.metadata_id FROM identifier x
      WHERE x.metadata_key = w.metadata_key AND x.naming_authority_id = w.naming_authority_id OFFSET 0
    ) i WHERE w.metadata_key IS NOT NULL
    UNION ALL
    SELECT w.ordinal, a.identifier_id, EXISTS (
             SELECT FROM identifier i, unnest(i.alternate_ids) AS b(name)
             WHERE i.id = a.identifier_id AND compared_name(b.name, w.rule) = compared_name(w.name, w.rule))
    FROM w CROSS JOIN LATERAL (
      SELECT x.identifier_id FROM alternate_identifier x
      WHERE x.key = w.alternate_key AND x.naming_authority_id = w.naming_authority_id OFFSET 0
    ) a WHERE w.alternate_key IS NOT NULL
    UNION ALL
    SELECT w.ordinal, i.id, true FROM w CROSS JOIN LATERAL (
      SELECT x.id FROM identifier x WHERE x.guid = w.guid AND x.naming_authority_id = w.naming_authority_id OFFSET 0
    ) i WHERE w.guid IS NOT NULL
    UNION ALL
    SELECT w.ordinal, i.id, NULL FROM w CROSS JOIN LATERAL (
      SELECT x.id FROM identifier x WHERE x.local_key = w.local_key AND x.naming_authority_id = w.naming_authority_id OFFSET 0
    ) i WHERE w.local_key IS NOT NULL
  )
  SELECT h.ordinal, h.id, h.is_same, r.local_name, r.expired, r.legal
  FROM held h CROSS JOIN LATERAL (
    SELECT coalesce(x.local_name, upper(replace(x.guid::text, '-', ''))) AS local_name,
           x.state = 'reserved' AND x.lease_until <= CURRENT_TIMESTAMP AS expired,
           (x.withdrawal_reason_code = 'legal') IS TRUE AS legal
    FROM identifier x WHERE x.id = h.id OFFSET 0
  ) r`;

/** Finds the identifiers that have addresses or unique names, for many names at once and without their records. */
@Injectable()
export class NameHolders {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** IDs of identifiers by address; null if not registered. */
  async findIds(addresses: readonly Address[], from: Queryable = this.pool): Promise<(bigint | null)[]> {
    return (await this.findNamed(addresses, from)).map((row) => (row === null ? null : BigInt(row.id)));
  }

  /** Selects identifiers that are now withdrawn for legal reasons. @param names `NA/local`, each with a snapshot that has its prefix. */
  async legalAmong(
    names: readonly { readonly name: string; readonly known: NamingAuthoritySnapshot }[],
    from: Queryable = this.pool,
  ): Promise<ReadonlySet<string>> {
    const named = names.flatMap(({ name, known }) => {
      const slash = name.indexOf('/');
      const authority = known.find(name.slice(0, slash));
      return authority === undefined ? [] : [{ name, address: addressIn(authority, name.slice(slash + 1)) }];
    });
    const found = await this.findNamed(
      named.map(({ address }) => address),
      from,
    );
    return new Set(named.flatMap(({ name }, index) => (found[index]?.legal === true ? [name] : [])));
  }

  private async findNamed(addresses: readonly Address[], from: Queryable): Promise<(HolderRow | null)[]> {
    const rows = await find(
      addresses.map((address) => ({ namingAuthority: address.namingAuthority, address })),
      from,
    );
    return addresses.map((address, ordinal) => {
      const row = rows.get(ordinal);
      return row !== undefined && isAt(row.local_name, address) ? row : null;
    });
  }

  /** Returns, for each name, the identifier that has its key or its address; null if the name is free. */
  async findHolders(names: readonly UniqueName[], from: Queryable = this.pool): Promise<(NameHolder | null)[]> {
    const rows = await find(names, from);
    return names.map(({ namingAuthority, address }, ordinal): NameHolder | null => {
      const row = rows.get(ordinal);
      if (row === undefined) return null;
      const { is_same: isSame, local_name: localName, expired: isExpired, legal: isLegal } = row;
      const holder = { id: BigInt(row.id), namingAuthority, localName };
      // An expired reservation keeps its own name.
      if (address !== undefined) return { ...holder, isSame: isAt(localName, address), isExpired: false };
      return { ...holder, isSame: isSame === true, isExpired, isLegal };
    });
  }
}

type Wanted = Pick<UniqueName, 'namingAuthority' | 'address'> & Partial<Pick<UniqueName, 'kind' | 'name'>>;

async function find(names: readonly Wanted[], from: Queryable): Promise<ReadonlyMap<number, HolderRow>> {
  if (names.length === 0) return new Map();
  const values = [
    arrayOf(names.map((_, ordinal) => ordinal)),
    arrayOf(names.map(({ namingAuthority }) => namingAuthority)),
    arrayOf(names.map(({ kind, name }) => (kind === 'metadataId' ? (name?.key ?? null) : null))),
    arrayOf(names.map(({ kind, name }) => (kind === 'alternateId' ? (name?.key ?? null) : null))),
    arrayOf(names.map(({ name }) => name?.canonical ?? null)),
    arrayOf(names.map(({ name }) => name?.rule ?? null)),
    arrayOf(names.map(({ address }) => address?.guid ?? null)),
    arrayOf(names.map(({ address }) => address?.localKey ?? null)),
  ];
  const { rows } = await from.query<HolderRow>({ name: 'find-name-holders', text: FIND_HOLDERS, values });
  return new Map(rows.map((row) => [row.ordinal, row]));
}

interface HolderRow {
  readonly ordinal: number;
  readonly id: string;
  /** Whether the holder has the requested name, rather than another name with the same key; null if the caller compares the local name. */
  readonly is_same: boolean | null;
  readonly local_name: string;
  readonly expired: boolean;
  readonly legal: boolean;
}
