import { Module } from '@nestjs/common';
import { CurationServiceModule } from '../curation/curation-service.module.js';
import { MintingServiceModule } from '../minting/minting-service.module.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ExistingUpdates } from './existing-updates.js';
import { UpsertsService } from './upserts.service.js';

@Module({
  imports: [CurationServiceModule, MintingServiceModule, StorageWriteModule],
  providers: [ExistingUpdates, UpsertsService],
  exports: [ExistingUpdates, UpsertsService],
})
export class UpsertsModule {}
