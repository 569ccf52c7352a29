import { Module } from '@nestjs/common';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { CurationService } from './curation.service.js';

@Module({ imports: [StorageWriteModule], providers: [CurationService], exports: [CurationService] })
export class CurationServiceModule {}
