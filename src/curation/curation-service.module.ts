import { Module } from '@nestjs/common';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ChangeStreamService } from './change-stream.service.js';
import { CurationService } from './curation.service.js';

const SERVICES = [CurationService, ChangeStreamService];

@Module({ imports: [StorageWriteModule], providers: SERVICES, exports: SERVICES })
export class CurationServiceModule {}
