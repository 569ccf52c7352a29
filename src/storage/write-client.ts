import type pg from 'pg';
import type { PrismaService } from '../database/prisma.service.js';
import { ConflictFinder } from './identifiers/conflict-finder.js';
import { IdentifierWriter } from './identifiers/identifier-writer.js';
import type { Transactions } from './transactions.js';

/** The injection token of a `WriteClient`. */
export const WRITE_CLIENT = Symbol('WRITE_CLIENT');

/** What an interface sees of Prisma's client: not the methods of Prisma that write, which would not write the history. */
export interface WriteClient {
  readonly identifier: Pick<ReturnType<typeof writeClient>['identifier'], 'mint' | 'findConflicts'>;
}

/**
 * Adds the statements of a mint to Prisma's client, as methods of its models. They run as prepared statements of `pg`,
 * without Prisma's query engine: see the table of `docs/explanation/architecture.md`.
 * @param hot the pool of `findConflicts`; `mint` runs on the pools of `transactions`.
 */
export function writeClient(prisma: PrismaService, hot: pg.Pool, transactions: Transactions) {
  const writer = new IdentifierWriter(transactions);
  const conflicts = new ConflictFinder(hot);
  const identifier = {
    mint: writer.insert.bind(writer),
    findConflicts: conflicts.find.bind(conflicts),
  };
  return prisma.$extends({ name: 'mints', model: { identifier } });
}
