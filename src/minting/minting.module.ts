import { Module } from '@nestjs/common';
import { GuidGenerator } from '../registry/uuid.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { FoundRecords } from './found-records.js';
import { MintConflicts } from './mint-conflicts.js';
import { MintReplays } from './mint-replays.js';
import { MintingService } from './minting.service.js';
import { PreviousVersionReader } from './previous-versions.js';

@Module({
  imports: [StorageWriteModule],
  providers: [GuidGenerator, MintingService, MintConflicts, MintReplays, FoundRecords, PreviousVersionReader],
  exports: [MintingService, MintReplays, FoundRecords],
})
export class MintingServiceModule {}
