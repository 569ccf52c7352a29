import { Module } from '@nestjs/common';
import { CursorsModule } from '../../http/validation/cursor.module.js';
import { FindingModule } from '../../finding/finding.module.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { LookupController } from './lookup.controller.js';
import { LookupService } from './lookup.service.js';
import { RecordPages } from './record-pages.js';
import { RecordViews } from './record-views.js';
import { RepresentationModule } from '../representation/representation.module.js';

@Module({
  imports: [CursorsModule, FindingModule, StorageReadModule, RepresentationModule],
  controllers: [LookupController],
  providers: [LookupService, RecordPages, RecordViews],
})
export class LookupModule {}
