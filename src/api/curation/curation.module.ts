import { Module } from '@nestjs/common';
import { CurationServiceModule } from '../../curation/curation-service.module.js';
import { CurationController } from './curation.controller.js';

@Module({ imports: [CurationServiceModule], controllers: [CurationController] })
export class CurationModule {}
