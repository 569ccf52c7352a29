import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { ExportController } from './export.controller.js';
import { ExportService } from './export.service.js';
import { ImportController } from './import.controller.js';
import { ImportService } from './import.service.js';

/** From one registry to another, or to a spreadsheet. */
@Module({
  imports: [RecordModule],
  controllers: [ExportController, ImportController],
  providers: [ExportService, ImportService],
})
export class TransferModule {}
