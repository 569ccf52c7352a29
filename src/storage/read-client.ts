import type pg from 'pg';
import type { PrismaService } from '../database/prisma.service.js';
import { CoalescedReader } from './identifiers/coalesced-reader.js';

/** The injection token of a `ReadClient`. */
export const READ_CLIENT = Symbol('READ_CLIENT');

/** What an interface sees of Prisma's client: not the methods of Prisma that write. */
export interface ReadClient {
  readonly identifier: Pick<
    ReturnType<typeof readClient>['identifier'],
    'find' | 'findByMetadataId' | 'waitingLookups'
  >;
}

/**
 * Adds the frequent look-ups to Prisma's client, as methods of its models. They run as prepared statements of `pg`,
 * without Prisma's query engine: see the table of `docs/explanation/architecture.md`.
 * @param hot the pool whose sessions have prepared these statements.
 */
export function readClient(prisma: PrismaService, hot: pg.Pool) {
  const reader = new CoalescedReader(hot);
  const identifier = {
    find: reader.find.bind(reader),
    findByMetadataId: reader.findByMetadataId.bind(reader),
    waitingLookups: () => reader.waitingLookups(),
  };
  return prisma.$extends({ name: 'reads', model: { identifier } });
}
