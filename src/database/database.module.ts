import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';

/** How long a stop waits for the database to see the connections off; one that is silent never would. */
const PARTING_MS = 2000;

/** Gives every feature the pool (`pg.Pool`) and the Prisma client over it. */
@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    private readonly prisma: PrismaClient,
  ) {}

  static over(pool: pg.Pool): DynamicModule {
    const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: pg.Pool, useValue: pool },
        { provide: PrismaClient, useValue: prisma },
      ],
      exports: [pg.Pool, PrismaClient],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    const ended = this.prisma.$disconnect().then(() => this.pool.end());
    await Promise.race([ended, pause(PARTING_MS, undefined, { ref: false })]);
  }
}
