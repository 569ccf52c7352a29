import { Module } from '@nestjs/common';
import { CursorsModule } from '../../http/validation/cursor.module.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { LookupController } from './lookup.controller.js';
import { LookupManyService } from './lookup-many.service.js';
import { LookupService } from './lookup.service.js';
import { RecordPages } from './record-pages.js';
import { RecordViews } from './record-views.js';
import { RepresentationModule } from '../representation/representation.module.js';

@Module({
  imports: [CursorsModule, StorageReadModule, RepresentationModule],
  controllers: [LookupController],
  providers: [LookupService, LookupManyService, RecordPages, RecordViews],
})
export class LookupModule {}
