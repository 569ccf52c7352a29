import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { CurationController } from './curation.controller.js';
import { CurationService } from './curation.service.js';

/** What becomes of identifiers after they were minted. */
@Module({ imports: [RecordModule], controllers: [CurationController], providers: [CurationService] })
export class CurationModule {}
