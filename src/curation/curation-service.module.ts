import { Module } from '@nestjs/common';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ChangeEngine } from './change-engine.js';
import { ChangeStreamService } from './change-stream.service.js';
import { CurationService } from './curation.service.js';

const SERVICES = [ChangeEngine, CurationService, ChangeStreamService];

@Module({ imports: [StorageWriteModule], providers: SERVICES, exports: SERVICES })
export class CurationServiceModule {}
