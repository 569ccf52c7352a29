import { Module } from '@nestjs/common';
import { RecordModule } from '../record/record.module.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { HistoryController } from './history.controller.js';
import { HistoryService } from './history.service.js';
import { Tide } from './tide.js';

/** What has happened: the history of one thing, and the log of everything. */
@Module({
  imports: [RecordModule],
  controllers: [EventsController, HistoryController],
  providers: [EventLog, HistoryService, Tide],
})
export class EventsModule {}
