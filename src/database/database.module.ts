import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL, type Pools } from './pool.js';
import { Prisma } from './prisma.js';

/** How long a stop waits for the database to see the connections off; one that is silent never would. */
const PARTING_MS = 2000;

/** Gives every feature the pools (`pg.Pool` and `HOT_POOL`) and the Prisma client over the first. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    private readonly prisma: Prisma,
  ) {}

  static over({ general, hot }: Pools): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [{ provide: pg.Pool, useValue: general }, { provide: HOT_POOL, useValue: hot }, Prisma],
      exports: [pg.Pool, HOT_POOL, Prisma],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.prisma.disconnect().then(() => Promise.all([this.pool.end(), this.hot.end()]));
    await Promise.race([ended, pause(PARTING_MS, undefined, { ref: false })]);
  }
}
