import { setTimeout as pause } from 'node:timers/promises';
import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { CommitProbe } from './commit-probe.js';
import { CommitWatch } from './commit-watch.js';
import { LockProbe } from './lock-probe.js';
import { HOT_POOL, LOG_POOL, PROBE_POOL, type Pools } from './pool.js';
import { PrismaService } from './prisma.service.js';
import { REPLICA, type Replica } from './replica/replica.js';

/** Maximum time to close connections to a database that does not respond. */
const PARTING_MS = 2000;

@Module({})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(
    @Inject(pg.Pool) private readonly pool: pg.Pool,
    @Inject(HOT_POOL) private readonly hot: pg.Pool,
    @Inject(LOG_POOL) private readonly log: pg.Pool,
    @Inject(PROBE_POOL) private readonly probe: pg.Pool,
    @Inject(REPLICA) private readonly replica: Replica | null,
    private readonly prisma: PrismaService,
  ) {}

  static over({ general, hot, log, probe }: Pools, replica: Replica | null): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      providers: [
        { provide: pg.Pool, useValue: general },
        { provide: HOT_POOL, useValue: hot },
        { provide: LOG_POOL, useValue: log },
        { provide: PROBE_POOL, useValue: probe },
        { provide: REPLICA, useValue: replica },
        ...[CommitWatch, CommitProbe, LockProbe, PrismaService],
      ],
      exports: [pg.Pool, HOT_POOL, LOG_POOL, CommitWatch, CommitProbe, LockProbe, REPLICA, PrismaService],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    const pools = [this.pool, this.hot, this.log, this.probe];
    const ended = this.prisma
      .$disconnect()
      .then(() => Promise.all([...pools.map((pool) => pool.end()), this.replica?.stop()]));
    await Promise.race([ended, pause(PARTING_MS, undefined, { ref: false })]);
  }
}
