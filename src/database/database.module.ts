import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import { HOT_POOL, type Pools } from './pool.js';

/** How long a stop waits for the database to see the connections off; one that is silent never would. */
const PARTING_MS = 2000;

/** Gives every feature the pools (`pg.Pool` and `HOT_POOL`) and the Prisma client over the first. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    private readonly prisma: PrismaClient,
  ) {}

  static over({ general, hot }: Pools): DynamicModule {
    const prisma = new PrismaClient({ adapter: new PrismaPg(general) });
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: pg.Pool, useValue: general },
        { provide: HOT_POOL, useValue: hot },
        { provide: PrismaClient, useValue: prisma },
      ],
      exports: [pg.Pool, HOT_POOL, PrismaClient],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.prisma.$disconnect().then(() => Promise.all([this.pool.end(), this.hot.end()]));
    await Promise.race([ended, pause(PARTING_MS, undefined, { ref: false })]);
  }
}
