import { Module } from '@nestjs/common';
import { PositionOffset } from './changes/position-offset.js';
import { HandleUserStore } from './handle-user-store.js';
import { ConflictRetries } from './conflict-retries.js';
import { IdempotentRequests } from './idempotency.js';
import { ConflictFinder } from './identifiers/conflict-finder.js';
import { IdentifierImporter } from './identifiers/identifier-importer.js';
import { IdentifierUpdater } from './identifiers/identifier-updater.js';
import { IdentifierWriter } from './identifiers/identifier-writer.js';
import { NamingAuthorityWriter } from './naming-authorities/naming-authority-writer.js';
import { RequestResults } from './request-results.js';
import { Transactions } from './transactions.js';
import { StorageReadModule } from './storage-read.module.js';

const PROVIDERS = [
  IdentifierWriter,
  ConflictFinder,
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
