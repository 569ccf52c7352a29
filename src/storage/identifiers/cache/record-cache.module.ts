import { type DynamicModule, Module, type OnModuleDestroy } from '@nestjs/common';
import type pg from 'pg';
import { HOT_POOL, LOG_POOL } from '../../../database/pool.js';
import { REPLICA, type Replica } from '../../../database/replica/replica.js';
import { TRANSACTION_LISTENER } from '../../transactions.js';
import type { Bounds } from './bounded-entries.js';
import { CachedResolution } from './cached-resolution.js';

/** One cache for the process. The transactions of the process tell it what they have changed. */
@Module({})
export class RecordCacheModule implements OnModuleDestroy {
  constructor(private readonly cache: CachedResolution) {}

  static within(bounds: Bounds): DynamicModule {
    const cache = {
      provide: CachedResolution,
      inject: [HOT_POOL, LOG_POOL, REPLICA],
      useFactory: (hot: pg.Pool, log: pg.Pool, replica: Replica | null) =>
        new CachedResolution(hot, log, bounds, replica),
    };
    return {
      module: RecordCacheModule,
      global: true,
      providers: [cache, { provide: TRANSACTION_LISTENER, useExisting: CachedResolution }],
      exports: [CachedResolution, TRANSACTION_LISTENER],
    };
  }

  onModuleDestroy(): void {
    this.cache.close();
  }
}
