import { Module } from '@nestjs/common';
import { NameConflicts } from './name-conflicts.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { CurationController } from './curation.controller.js';
import { CurationService } from './curation.service.js';
import { RepresentationModule } from '../representation/representation.module.js';

@Module({
  imports: [StorageWriteModule, RepresentationModule],
  controllers: [CurationController],
  providers: [NameConflicts, CurationService],
})
export class CurationModule {}
