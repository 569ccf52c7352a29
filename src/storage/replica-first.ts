import type { Replica } from '../database/replica/replica.js';
import { Problem } from '../problem/problem.js';

/** A request waits for 15 s at most, and the replica may have taken 2 s before. */
const PRIMARY_LIMIT_MS = 12_000;

/**
 * Reads at the replica. The primary decides about what the replica does not have, and answers while the replica is not read.
 * @param isComplete whether the replica had everything.
 * @param atPrimary receives what the replica had; null for nothing.
 * @throws the error of the primary, or Problem DATABASE_UNAVAILABLE when it does not respond.
 */
export async function replicaFirst<T>(
  replica: Replica,
  isComplete: (found: T) => boolean,
  atReplica: () => Promise<T>,
  atPrimary: (incomplete: T | null) => Promise<T>,
): Promise<T> {
  if (!replica.isUsable) {
    replica.reads.primary += 1;
    return limited(atPrimary(null));
  }
  // Whatever fails at the replica can succeed at the primary.
  const read = await atReplica().then(
    (found) => ({ found }),
    () => null,
  );
  if (read !== null && isComplete(read.found)) {
    replica.reads.replica += 1;
    return read.found;
  }
  replica.reads.fallback += 1;
  return limited(atPrimary(read?.found ?? null));
}

async function limited<T>(read: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const detail = 'The primary database did not respond in time. Send the request again after Retry-After.';
      reject(new Problem('DATABASE_UNAVAILABLE', detail, { headers: { 'retry-after': '1' }, isOfRead: true }));
    }, PRIMARY_LIMIT_MS);
  });
  try {
    return await Promise.race([read, late]);
  } finally {
    clearTimeout(timer);
  }
}
