import { Inject, Injectable } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';

/** Prisma's client, over the general pool. `DatabaseModule` disconnects it, after the last request. */
@Injectable()
export class PrismaService extends PrismaClient {
  constructor(@Inject(pg.Pool) pool: pg.Pool) {
    super({ adapter: new PrismaPg(pool) });
  }
}
