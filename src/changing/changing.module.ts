import { Module } from '@nestjs/common';
import { MintingServiceModule } from '../minting/minting.module.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ChangeEngine } from './change-engine.js';
import { ChangeStreamService } from './change-stream.service.js';
import { CurationService } from './curation.service.js';
import { ExistingUpdates } from './existing-updates.js';
import { HandleRecordsService } from './handle-records.service.js';
import { UpsertsService } from './upserts.service.js';

const SERVICES = [
  ...[ChangeEngine, CurationService, ChangeStreamService],
  ...[ExistingUpdates, UpsertsService, HandleRecordsService],
];

@Module({ imports: [MintingServiceModule, StorageWriteModule], providers: SERVICES, exports: SERVICES })
export class ChangingModule {}
