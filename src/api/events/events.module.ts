import { Module } from '@nestjs/common';
import { CursorsModule } from '../../http/validation/cursor.module.js';
import { Metrics } from '../../metrics/metrics.js';
import { FeedAge } from '../../storage/changes/feed-age.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { EventCursors } from './event-cursors.js';
import { EventLog } from './event-log.js';
import { EventsController } from './events.controller.js';
import { HistoryController } from './history.controller.js';
import { HistoryService } from './history.service.js';
import { LogWatcher } from './log-watcher.js';

@Module({
  imports: [CursorsModule, StorageReadModule],
  controllers: [EventsController, HistoryController],
  providers: [EventCursors, EventLog, HistoryService, LogWatcher],
})
export class EventsModule {
  constructor(metrics: Metrics, age: FeedAge) {
    metrics.database.watchEventFeed(() => age.seconds());
  }
}
