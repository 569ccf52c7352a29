import { Module, type Provider } from '@nestjs/common';
import { HOT_POOL } from '../database/pool.js';
import { PrismaService } from '../database/prisma.service.js';
import { PositionOffset } from './changes/position-offset.js';
import { HandleUserStore } from './handle-user-store.js';
import { ConflictRetries } from './conflict-retries.js';
import { IdempotentRequests } from './idempotency.js';
import { IdentifierImporter } from './identifiers/identifier-importer.js';
import { IdentifierUpdater } from './identifiers/identifier-updater.js';
import { NamingAuthorityWriter } from './naming-authorities/naming-authority-writer.js';
import { RequestResults } from './request-results.js';
import { Transactions } from './transactions.js';
import { StorageReadModule } from './storage-read.module.js';
import { WRITE_CLIENT, writeClient } from './write-client.js';

const PROVIDERS: Provider[] = [
  { provide: WRITE_CLIENT, useFactory: writeClient, inject: [PrismaService, HOT_POOL, Transactions] },
  NamingAuthorityWriter,
  PositionOffset,
  IdentifierUpdater,
  ConflictRetries,
  IdentifierImporter,
  HandleUserStore,
  IdempotentRequests,
  RequestResults,
  Transactions,
];

@Module({ imports: [StorageReadModule], providers: PROVIDERS, exports: [...PROVIDERS, StorageReadModule] })
export class StorageWriteModule {}
