import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { namingAuthorityKey } from '@mintmark/identifier';
import { type NamingAuthorityRow, namingAuthorityOf } from './naming-authority-row.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import type { Queryable } from '../transactions.js';

/** A naming authority and its relatives (HS-07), with prefixes as they were created. */
export interface NamingAuthorityFamily {
  readonly namingAuthority: NamingAuthority;
  readonly parent: string | null;
  /** The directly derived prefixes, in byte order. */
  readonly children: readonly string[];
}

// "C" folds only ASCII letters, like `namingAuthorityKey`. "/" is the byte after ".", so it ends the range of derived prefixes.

const familiesWhere = (condition: string): string => String.raw`
  SELECT n.*,
    (SELECT p.prefix FROM naming_authority p
     WHERE upper(p.prefix COLLATE "C") = upper(substring(n.prefix FROM '^(.*)\.[^.]*$') COLLATE "C")) AS parent,
    ARRAY(
      SELECT c.prefix FROM naming_authority c
      WHERE upper(c.prefix COLLATE "C") > upper(n.prefix COLLATE "C") || '.'
        AND upper(c.prefix COLLATE "C") < upper(n.prefix COLLATE "C") || '/'
        AND strpos(substr(c.prefix, length(n.prefix) + 2), '.') = 0
      ORDER BY c.prefix
    ) AS children
  FROM naming_authority n WHERE ${condition}`;

/** $1: the key of the prefix. */
const BY_KEY = familiesWhere('upper(n.prefix COLLATE "C") = $1');

/** $1: the limit; $2: the prefix before the page, or null; $3: the prefixes of the list, null for all. */
const PAGE = familiesWhere(
  '($2::text IS NULL OR n.prefix > $2) AND ($3::text[] IS NULL OR n.prefix = ANY($3)) ORDER BY n.prefix LIMIT $1',
);

/** $1: the keys of prefixes. */
const EXISTING = 'SELECT prefix FROM naming_authority WHERE upper(prefix COLLATE "C") = ANY($1::text[])';

type FamilyRow = NamingAuthorityRow & { readonly parent: string | null; readonly children: string[] };

@Injectable()
export class NamingAuthorityReader {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async find(prefix: string, from: Queryable = this.pool): Promise<NamingAuthorityFamily | null> {
    const values = [namingAuthorityKey(prefix)];
    const { rows } = await from.query<FamilyRow>(BY_KEY, values);
    return rows[0] === undefined ? null : familyOf(rows[0]);
  }

  /** The prefixes that exist as naming authorities, with the letters with which they were created. */
  async existing(prefixes: readonly string[], from: Queryable = this.pool): Promise<string[]> {
    const { rows } = await from.query<{ prefix: string }>(EXISTING, [prefixes.map(namingAuthorityKey)]);
    return rows.map(({ prefix }) => prefix);
  }

  /** One page in byte order, after the prefix `after`. @param only the visible prefixes; null for all. */
  async page(limit: number, after: string | null, only: readonly string[] | null): Promise<NamingAuthorityFamily[]> {
    const { rows } = await this.pool.query<FamilyRow>(PAGE, [limit, after, only]);
    return rows.map(familyOf);
  }
}

function familyOf(row: FamilyRow): NamingAuthorityFamily {
  return { namingAuthority: namingAuthorityOf(row), parent: row.parent, children: row.children };
}
