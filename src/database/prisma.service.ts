import { Inject, Injectable } from '@nestjs/common';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';

/** Prisma's client on the general pool. */
@Injectable()
export class PrismaService extends PrismaClient {
  constructor(@Inject(pg.Pool) pool: pg.Pool) {
    super({ adapter: new SchemaOfPool(pool) });
  }
}

/** Prisma qualifies table names with a schema, by default "public". This adapter gives Prisma the schema of the sessions. */
class SchemaOfPool extends PrismaPg {
  constructor(private readonly pool: pg.Pool) {
    super(pool);
  }

  override async connect(): ReturnType<PrismaPg['connect']> {
    const { rows } = await this.pool.query<{ schema: string }>('SELECT current_schema() AS schema');
    return new PrismaPg(this.pool, { schema: rows[0]?.schema ?? 'public' }).connect();
  }
}
