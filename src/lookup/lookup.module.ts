import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { LookupController } from './lookup.controller.js';
import { LookupManyService } from './lookup-many.service.js';
import { LookupService } from './lookup.service.js';

/** From an identifier to its record, and from a metadata ID to the identifiers it describes. */
@Module({ imports: [RecordModule], controllers: [LookupController], providers: [LookupService, LookupManyService] })
export class LookupModule {}
