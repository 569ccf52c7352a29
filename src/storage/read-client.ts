import type pg from 'pg';
import type { PrismaService } from '../database/prisma.service.js';
import { CoalescedReader } from './identifiers/coalesced-reader.js';

export const READ_CLIENT = Symbol('READ_CLIENT');

/** The look-ups of Prisma's client that interfaces may use; excludes its writing methods. */
export interface ReadClient {
  readonly identifier: Pick<
    ReturnType<typeof readClient>['identifier'],
    'find' | 'findByMetadataId' | 'waitingLookups'
  >;
}

/** Adds the frequent look-ups to Prisma's client. They run as prepared statements of `pg`, without Prisma's query engine. */
export function readClient(prisma: PrismaService, hot: pg.Pool) {
  const reader = new CoalescedReader(hot);
  const identifier = {
    find: reader.find.bind(reader),
    findByMetadataId: reader.findByMetadataId.bind(reader),
    waitingLookups: () => reader.waitingLookups(),
  };
  return prisma.$extends({ name: 'reads', model: { identifier } });
}
