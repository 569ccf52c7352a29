import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { Readiness } from './readiness.js';

@Module({ imports: [StorageWriteModule], controllers: [HealthController], providers: [Readiness] })
export class HealthModule {}
