import type { Provider } from '@nestjs/common';
import type pg from 'pg';
import { HOT_POOL, LOG_POOL } from '../../../database/pool.js';
import { REPLICA, type Replica } from '../../../database/replica/replica.js';
import { LogFollower, SYSTEM_CLOCK, pollLog } from '../../changes/log-follower.js';
import { TRANSACTION_LISTENER } from '../../transactions.js';
import { type Bounds, RecordCache } from './record-cache.js';
import { ResolutionReader } from './resolution-reader.js';

/** Provides one cache for the process. Transactions of the process notify the cache of their changes. */
export function recordCacheWithin(bounds: Bounds): Provider[] {
  const useFactory = (hot: pg.Pool, polls: pg.Pool, replica: Replica | null): RecordCache => {
    const log = new LogFollower(
      (previous) => pollLog(polls, previous),
      (changed) => {
        cache.changed(changed);
      },
      SYSTEM_CLOCK,
    );
    const cache = new RecordCache(new ResolutionReader(hot, replica), log, SYSTEM_CLOCK, bounds);
    return cache;
  };
  return [
    { provide: RecordCache, inject: [HOT_POOL, LOG_POOL, REPLICA], useFactory },
    { provide: TRANSACTION_LISTENER, useExisting: RecordCache },
  ];
}
