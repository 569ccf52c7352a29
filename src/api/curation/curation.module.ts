import { Module } from '@nestjs/common';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { CurationController } from './curation.controller.js';
import { CurationService } from './curation.service.js';

@Module({
  imports: [StorageWriteModule],
  controllers: [CurationController],
  providers: [CurationService],
})
export class CurationModule {}
