import { Module } from '@nestjs/common';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { FindingService } from './finding.service.js';
import { LookupService } from './lookup.service.js';
import { NormalizationService } from './normalization.service.js';

const SERVICES = [FindingService, LookupService, NormalizationService];

@Module({ imports: [StorageReadModule], providers: SERVICES, exports: SERVICES })
export class FindingModule {}
