import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { NormalizationController } from './normalization.controller.js';
import { NormalizationService } from './normalization.service.js';

/** The syntax core over HTTP. */
@Module({ imports: [RecordModule], controllers: [NormalizationController], providers: [NormalizationService] })
export class NormalizationModule {}
