import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';
import type { PrismaClient } from './generated/client.js';

/** The Prisma client on the general pool, loaded on first use to shorten the start. */
@Injectable()
export class PrismaService {
  private loaded: Promise<PrismaClient> | undefined;

  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  client(): Promise<PrismaClient> {
    this.loaded ??= this.load();
    return this.loaded;
  }

  async disconnect(): Promise<void> {
    await (await this.loaded)?.$disconnect();
  }

  private async load(): Promise<PrismaClient> {
    const [{ PrismaPg }, { PrismaClient }] = await Promise.all([
      import('@prisma/adapter-pg'),
      import('./generated/client.js'),
    ]);
    return new PrismaClient({ adapter: new PrismaPg(this.pool) });
  }
}
