import { Module } from '@nestjs/common';
import { FoundRecords } from '../minting/found-records.js';
import { MintConflicts } from '../minting/mint-conflicts.js';
import { MintReplays } from '../minting/mint-replays.js';
import { MintingService } from '../minting/minting.service.js';
import { PreviousVersionReader } from '../minting/previous-versions.js';
import { GuidGenerator } from '../registry/uuid.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ChangeEngine } from './change-engine.js';
import { ChangeStreamService } from './change-stream.service.js';
import { CurationService } from './curation.service.js';
import { ExistingUpdates } from './existing-updates.js';
import { HandleRecordsService } from './handle-records.service.js';
import { UpsertsService } from './upserts.service.js';

/** The services that mint and change identifiers. */
const SERVICES = [
  ...[GuidGenerator, MintingService, MintConflicts, MintReplays, FoundRecords, PreviousVersionReader],
  ...[ChangeEngine, CurationService, ChangeStreamService],
  ...[ExistingUpdates, UpsertsService, HandleRecordsService],
];

@Module({ imports: [StorageWriteModule], providers: SERVICES, exports: SERVICES })
export class ChangingModule {}
