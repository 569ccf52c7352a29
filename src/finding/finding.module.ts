import { Module } from '@nestjs/common';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { FindingService } from './finding.service.js';

@Module({ imports: [StorageReadModule], providers: [FindingService], exports: [FindingService] })
export class FindingModule {}
