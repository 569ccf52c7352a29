import type { Replica } from '../database/replica/replica.js';

export { REPLICA, type Replica } from '../database/replica/replica.js';

/** How long a read that prefers the primary waits for the primary before it is sent to the replica. */
const PRIMARY_WAIT_MS = 500;

/** Readers of one kind at the primary and, with `READ_DATABASE_URL`, at the replica, whose data can be 10 s old. */
export class Readers<R> {
  readonly atReplica: R | null;

  constructor(
    readonly atPrimary: R,
    private readonly replica: Replica | null,
    make: (replica: Replica) => R,
  ) {
    this.atReplica = replica && make(replica);
  }

  /** Reads at the replica. Reads at the primary if the replica is not usable, fails, or returns null or an empty list. */
  replicaFirst<T>(read: (at: R) => Promise<T>): Promise<T> {
    const { atReplica, replica } = this;
    return replica === null || atReplica === null ? read(this.atPrimary) : this.readFirst(atReplica, replica, read);
  }

  private async readFirst<T>(
    atReplica: R,
    { isUsable, reads }: Pick<Replica, 'isUsable' | 'reads'>,
    read: (at: R) => Promise<T>,
  ): Promise<T> {
    const found = isUsable ? await read(atReplica).catch(() => null) : null;
    const isFound = found !== null && !(Array.isArray(found) && found.length === 0);
    reads[isFound ? 'replica' : isUsable ? 'fallback' : 'primary'] += 1;
    return isFound ? found : read(this.atPrimary);
  }

  /** Reads what requests need, such as API keys, at the primary, or at the replica while the primary is away, slow or failing. */
  async primaryFirst<T>(read: (at: R) => Promise<T>): Promise<T> {
    const { atPrimary, atReplica, replica } = this;
    if (atReplica === null || replica?.isUsable !== true) return read(atPrimary);
    if (replica.watch.isPrimaryAway) return read(atReplica).catch(() => read(atPrimary));
    const first = read(atPrimary);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => (timer = setTimeout(reject, PRIMARY_WAIT_MS)));
    return Promise.race([first, late])
      .catch(() => read(atReplica).catch(() => first))
      .finally(() => {
        clearTimeout(timer);
      });
  }
}
