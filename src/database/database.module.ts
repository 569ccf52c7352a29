import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL, LOG_POOL, type Pools } from './pool.js';
import { PrismaService } from './prisma.service.js';

/** Maximum time to close connections to a database that does not respond. */
const PARTING_MS = 2000;

@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    @Inject(LOG_POOL) private readonly log: pg.Pool,
    private readonly prisma: PrismaService,
  ) {}

  static over({ general, hot, log }: Pools): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: pg.Pool, useValue: general },
        { provide: HOT_POOL, useValue: hot },
        { provide: LOG_POOL, useValue: log },
        PrismaService,
      ],
      exports: [pg.Pool, HOT_POOL, LOG_POOL, PrismaService],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.prisma.$disconnect().then(() => Promise.all([this.pool.end(), this.hot.end(), this.log.end()]));
    await Promise.race([ended, pause(PARTING_MS, undefined, { ref: false })]);
  }
}
