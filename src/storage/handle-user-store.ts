import { setTimeout as pause } from 'node:timers/promises';
import { conflictInProgress } from '../problem/storage-problems.js';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { digestOf } from '../registry/uuid.js';
import { comparableUser } from '../registry/handle-user.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import { POSITION_GATE } from './changes/position-offset.js';
import { Transactions } from './transactions.js';

/** Maximum number of users of a naming authority. Each process keeps all users in memory, and reads them again if an authority changes. */
export const MAX_USERS = 1000;

/** $1: the prefix; $2: the key of the local name; $3: the local name; $4: the client; $5, $6: the profile and the case rule. */
const CLAIM = `
  WITH ${POSITION_GATE}
  INSERT INTO handle_user (naming_authority_id, local_key, local_name, client)
  SELECT n.id, $2::uuid, $3, $4 FROM naming_authority n
  WHERE n.prefix = $1 AND n.profile = $5 AND n.case_insensitive = $6 AND (SELECT count(*) FROM handle_user u WHERE u.naming_authority_id = n.id) < ${MAX_USERS}
  ON CONFLICT DO NOTHING`;

const USERS = `
  SELECT count(*)::int AS users FROM naming_authority n JOIN handle_user u ON u.naming_authority_id = n.id WHERE n.prefix = $1`;

/** Here and below, $1: the prefix; $2: the key of the local name. */
const IDENTIFIER = `
  SELECT FROM naming_authority n JOIN identifier i ON i.naming_authority_id = n.id AND i.local_key = $2::uuid WHERE n.prefix = $1`;

const HOLDER = `
  SELECT u.client, EXISTS (SELECT FROM identifier i
                           WHERE i.naming_authority_id = u.naming_authority_id AND i.local_key = u.local_key) AS is_identifier
  FROM naming_authority n JOIN handle_user u ON u.naming_authority_id = n.id
  WHERE n.prefix = $1 AND u.local_key = $2::uuid`;

const DROP = `
  DELETE FROM handle_user u USING naming_authority n
  WHERE n.prefix = $1 AND u.naming_authority_id = n.id AND u.local_key = $2::uuid`;

/** Every process knows a new user after one second (`NamingAuthorityCache`); mints that began earlier end within two more seconds. */
const KNOWN_EVERYWHERE_MS = 3000;

/** Who has the Handle of a user. `full` means that no client has it, and that the naming authority has `MAX_USERS` users. */
export type ClaimOutcome = 'claimed' | 'otherClient' | 'identifier' | 'full';

/** The Handles of users. Each belongs to one client permanently. */
@Injectable()
export class HandleUserStore {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    private readonly transactions: Transactions,
  ) {}

  /**
   * Assigns a Handle to a client, or returns who has the Handle. After a new claim under the profile "handle", waits until no process can
   * still create an identifier with this name.
   * @throws Problem CONFLICT_IN_PROGRESS if the rules of the naming authority are no longer those of `authority`.
   */
  async claim(authority: NamingAuthority, localName: string, client: string): Promise<ClaimOutcome> {
    const key = [authority.prefix, digestOf(comparableUser(authority, localName))];
    // Checked before the claim, because an identifier with this name could not be changed while the claim exists.
    if ((await this.pool.query(IDENTIFIER, key)).rowCount !== 0) return 'identifier';
    // In a transaction, even a claim whose row already exists waits for the standby.
    const values = [...key, localName, client, authority.profile, authority.caseInsensitive];
    const { rowCount } = await this.transactions.run(async (on) => on.query(CLAIM, values));
    if (rowCount === 1 && authority.profile === 'handle') await pause(KNOWN_EVERYWHERE_MS);
    const { rows } = await this.pool.query<{ client: string; is_identifier: boolean }>(HOLDER, key);
    const [holder] = rows;
    if (holder?.is_identifier === true) {
      if (rowCount === 1) await this.transactions.run(async (on) => on.query(DROP, key));
      return 'identifier';
    }
    if (holder === undefined) {
      const { rows: counts } = await this.pool.query<{ users: number }>(USERS, [authority.prefix]);
      if ((counts[0]?.users ?? 0) >= MAX_USERS) return 'full';
      // The rules of the naming authority have changed since they were read.
      throw conflictInProgress();
    }
    return holder.client === client ? 'claimed' : 'otherClient';
  }
}
