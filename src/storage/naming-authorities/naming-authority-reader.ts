import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { namingAuthorityKey } from '../../identifier/index.js';
import {
  NAMING_AUTHORITY_COLUMNS_SQL,
  type NamingAuthorityRow,
  namingAuthorityKeySql,
  namingAuthorityOf,
} from './naming-authority-row.js';
import type { NamingAuthority } from '../../registry/naming-authority.js';
import type { Queryable } from '../transactions.js';

/** A naming authority among its relatives (HS-07), as they were created. */
export interface NamingAuthorityFamily {
  readonly namingAuthority: NamingAuthority;
  readonly parent: string | null;
  /** The directly derived prefixes, in the order of their octets. */
  readonly children: readonly string[];
}

const OWN_KEY = namingAuthorityKeySql('n.prefix');
const CHILD_KEY = namingAuthorityKeySql('c.prefix');

/** Derived prefixes start with the key and "."; "/" is the octet after ".". */
const SELECT = `
  SELECT ${NAMING_AUTHORITY_COLUMNS_SQL},
    (SELECT p.prefix FROM naming_authority p
     WHERE ${namingAuthorityKeySql('p.prefix')} = ${namingAuthorityKeySql(String.raw`substring(n.prefix FROM '^(.*)\.[^.]*$')`)}) AS parent,
    ARRAY(SELECT c.prefix FROM naming_authority c
          WHERE ${CHILD_KEY} > ${OWN_KEY} || '.' AND ${CHILD_KEY} < ${OWN_KEY} || '/'
            AND strpos(substr(c.prefix, length(n.prefix) + 2), '.') = 0 ORDER BY c.prefix) AS children
  FROM naming_authority n`;

type FamilyRow = NamingAuthorityRow & { readonly parent: string | null; readonly children: string[] };

@Injectable()
export class NamingAuthorityReader {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async find(prefix: string, from: Queryable = this.pool): Promise<NamingAuthorityFamily | null> {
    const values = [namingAuthorityKey(prefix)];
    const { rows } = await from.query<FamilyRow>(`${SELECT} WHERE ${OWN_KEY} = $1`, values);
    return rows[0] === undefined ? null : familyOf(rows[0]);
  }

  /** One page in the order of the octets, after a prefix, of the `only` visible prefixes (null for all). */
  async page(limit: number, after: string | null, only: readonly string[] | null): Promise<NamingAuthorityFamily[]> {
    const text = `${SELECT}
      WHERE ($2::text IS NULL OR n.prefix > $2) AND ($3::text[] IS NULL OR n.prefix = ANY($3)) ORDER BY n.prefix LIMIT $1`;
    const { rows } = await this.pool.query<FamilyRow>({ text, values: [limit, after, only] });
    return rows.map(familyOf);
  }
}

function familyOf(row: FamilyRow): NamingAuthorityFamily {
  return { namingAuthority: namingAuthorityOf(row), parent: row.parent, children: row.children };
}
