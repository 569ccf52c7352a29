import { Module } from '@nestjs/common';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { NormalizationController } from './normalization.controller.js';
import { NormalizationService } from './normalization.service.js';

@Module({ imports: [StorageReadModule], controllers: [NormalizationController], providers: [NormalizationService] })
export class NormalizationModule {}
