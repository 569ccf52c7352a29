import { Module } from '@nestjs/common';
import { StorageWriteModule } from '../../storage/storage-write.module.js';
import { ExportController } from './export.controller.js';
import { ExportService } from './export.service.js';
import { ImportController } from './import.controller.js';
import { ImportService } from './import.service.js';

@Module({
  imports: [StorageWriteModule],
  controllers: [ExportController, ImportController],
  providers: [ExportService, ImportService],
})
export class ImportExportModule {}
