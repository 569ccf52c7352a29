import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { REPLICA, type Replica } from '../../database/replica/replica.js';
import type { Sessions } from '../../database/replica/server-state.js';
import type { PatchOperation } from '../../registry/change.js';
import type { RecordedChange } from '../changes/change-reader.js';

/** A change of a page. */
export interface ChangeSummary extends Pick<RecordedChange, 'version' | 'kind' | 'at'> {
  /** Null where it is not shown. */
  readonly client: string | null;
  /** Null where it is large. */
  readonly patch: readonly PatchOperation[] | null;
}

/**
 * $1: the identifier; $2: the limit. Patches of at most 16 KiB, because one can have 1.6 MB. Each half has its limit, because
 * PostgreSQL would read every change of the identifier for the order of both.
 */
const LAST_OF_IDENTIFIER = `
  SELECT version, kind, at, client, patch FROM (
    (SELECT version, kind, at, client, CASE WHEN octet_length(patch) <= 16384 THEN patch END AS patch
     FROM change WHERE identifier_id = $1 ORDER BY version DESC LIMIT $2)
    UNION ALL
    (SELECT version, kind, at, client, CASE WHEN octets <= 16384 THEN patch END FROM first_event WHERE identifier_id = $1)
  ) last ORDER BY version DESC LIMIT $2`;

type ChangeRow = Omit<ChangeSummary, 'patch'> & { readonly patch: string | null };

/** The histories on pages: of the primary, or of a replica while the primary is away. */
@Injectable()
export class HistoryReads {
  constructor(
    @Inject(pg.Pool) private readonly primary: Sessions,
    @Inject(REPLICA) private readonly replica: Replica | null,
  ) {}

  /** The last changes, newest first. @param withClients otherwise the client of each is null. */
  async lastOfIdentifier(id: bigint, limit: number, withClients: boolean): Promise<ChangeSummary[]> {
    const { primary, replica } = this;
    const query: pg.QueryConfig = { text: LAST_OF_IDENTIFIER, values: [id.toString(), limit] };
    const atPrimary = () => primary.query<ChangeRow>(query);
    const { rows } =
      replica === null ? await atPrimary() : await replica.orReplica(atPrimary, () => replica.query<ChangeRow>(query));
    return rows.map(({ patch, client, ...change }) => ({
      ...change,
      client: withClients ? client : null,
      patch: patch === null ? null : (JSON.parse(patch) as PatchOperation[]),
    }));
  }
}
