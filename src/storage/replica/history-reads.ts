import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import { REPLICA, type Replica } from '../../database/replica/replica.js';
import type { Sessions } from '../../database/replica/server-state.js';
import type { RecordedChange } from '../changes/change-reader.js';

/** A change without its values. */
export interface ChangeSummary extends Pick<RecordedChange, 'version' | 'kind' | 'at'> {
  /** Null where it is not shown. */
  readonly client: string | null;
}

/**
 * $1: the identifier; $2: the limit. Without patches, of which one can have 1.6 MB. Each half has its limit, because
 * PostgreSQL would read every change of the identifier for the order of both.
 */
const LAST_OF_IDENTIFIER = `
  SELECT version, kind, at, client FROM (
    (SELECT version, kind, at, client FROM change WHERE identifier_id = $1 ORDER BY version DESC LIMIT $2)
    UNION ALL
    (SELECT version, kind, at, client FROM first_event WHERE identifier_id = $1)
  ) last ORDER BY version DESC LIMIT $2`;

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
    const atPrimary = () => primary.query<ChangeSummary>(query);
    const { rows } =
      replica === null
        ? await atPrimary()
        : await replica.orReplica(atPrimary, () => replica.settledQuery<ChangeSummary>(query));
    return withClients ? rows : rows.map((change) => ({ ...change, client: null }));
  }
}
