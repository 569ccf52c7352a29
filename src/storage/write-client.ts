import type pg from 'pg';
import type { PrismaService } from '../database/prisma.service.js';
import { ConflictFinder } from './identifiers/conflict-finder.js';
import { IdentifierWriter } from './identifiers/identifier-writer.js';
import type { Transactions } from './transactions.js';

export const WRITE_CLIENT = Symbol('WRITE_CLIENT');

/** The mint statements of Prisma's client that interfaces may use; excludes its writing methods, which would not write the history. */
export interface WriteClient {
  readonly identifier: Pick<ReturnType<typeof writeClient>['identifier'], 'mint' | 'findConflicts'>;
}

/** Adds the statements of a mint to Prisma's client. They run as prepared statements of `pg`, without Prisma's query engine. */
export function writeClient(prisma: PrismaService, hot: pg.Pool, transactions: Transactions) {
  const writer = new IdentifierWriter(transactions);
  const conflicts = new ConflictFinder(hot);
  const identifier = {
    mint: writer.insert.bind(writer),
    findConflicts: conflicts.find.bind(conflicts),
  };
  return prisma.$extends({ name: 'mints', model: { identifier } });
}
