import { Module } from '@nestjs/common';
import { CurationServiceModule } from '../curation/curation-service.module.js';
import { MintingServiceModule } from '../minting/minting-service.module.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { HandleRecordsService } from './handle-records.service.js';

@Module({
  imports: [CurationServiceModule, MintingServiceModule, StorageWriteModule],
  providers: [HandleRecordsService],
  exports: [HandleRecordsService],
})
export class HandleRecordsModule {}
