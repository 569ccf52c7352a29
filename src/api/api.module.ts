import { type DynamicModule, Module } from '@nestjs/common';
import { BatchService } from '../bulk/batch.service.js';
import { BulkService } from '../bulk/bulk.service.js';
import { ChangingModule } from '../changing/changing.module.js';
import { FindingModule } from '../finding/finding.module.js';
import { EventCursors } from '../history/event-cursors.js';
import { EventLog } from '../history/event-log.js';
import { HistoryService } from '../history/history.service.js';
import { LogWatcher } from '../history/log-watcher.js';
import { ApiKeysService } from '../managing/api-keys.service.js';
import { NamingAuthoritiesService } from '../managing/naming-authorities.service.js';
import { Metrics } from '../metrics/metrics.js';
import type { FailureCounter } from '../problem/log-failure.js';
import { ReservationService } from '../reserving/reservations.service.js';
import { ReservationSweep, SWEEP_FAILURES, SWEEP_INTERVAL_MS } from '../reserving/sweep.js';
import { FeedAge } from '../storage/changes/feed-age.js';
import { Readiness } from '../storage/readiness.js';
import { StorageWriteModule } from '../storage/storage-write.module.js';
import { ExportService } from '../import-export/export.service.js';
import { ImportService } from '../import-export/import.service.js';
import { ApiKeysController } from './api-keys/api-keys.controller.js';
import { ChangePresenter } from './changes/change-presenter.js';
import { ChangesController } from './changes/changes.controller.js';
import { CurationController } from './curation/curation.controller.js';
import { DocumentsController, ProblemsController } from './documentation/documents.controller.js';
import { FrontPageController, HAS_RESOLVER } from './documentation/front-page.controller.js';
import { EventsController } from './events/events.controller.js';
import { HistoryController } from './events/history.controller.js';
import { HealthController } from './operations/health.controller.js';
import { ExportController } from './import-export/export.controller.js';
import { ImportController } from './import-export/import.controller.js';
import { LookupController } from './lookup/lookup.controller.js';
import { RecordViews } from './lookup/record-presenter.js';
import { MetricsController } from './operations/metrics.controller.js';
import { BatchController } from './minting/batch.controller.js';
import { BulkController } from './minting/bulk.controller.js';
import { MintPresenter } from './minting/mint-presenter.js';
import { MintingController } from './minting/minting.controller.js';
import { NamingAuthoritiesController } from './naming-authorities/naming-authorities.controller.js';
import { NormalizationController } from './normalization/normalization.controller.js';
import { IdentifierPresenter } from './representation/identifier-presenter.js';
import { ReservationController } from './reservations/reservations.controller.js';
import { IS_READ_PUBLIC, SiteController } from './operations/site.controller.js';

export interface ApiSettings {
  readonly hasResolver: boolean;
  readonly sweepIntervalMs: number;
  readonly sweepFailures: FailureCounter;
}

/** The resources of the REST API, with the services and presenters that only they use. */
@Module({
  imports: [StorageWriteModule, ChangingModule, FindingModule],
  controllers: [
    ...[ReservationController, MintingController, BatchController, BulkController, LookupController],
    ...[CurationController, ExportController, ImportController, NamingAuthoritiesController],
    ...[EventsController, HistoryController, NormalizationController, ApiKeysController, ChangesController],
    ...[DocumentsController, FrontPageController, ProblemsController],
  ],
  providers: [
    ...[ReservationService, ReservationSweep, BatchService, BulkService],
    ...[ExportService, ImportService, NamingAuthoritiesService, ApiKeysService],
    ...[EventCursors, EventLog, LogWatcher, HistoryService],
    ...[IdentifierPresenter, RecordViews, MintPresenter, ChangePresenter],
  ],
})
export class ApiModule {
  constructor(metrics: Metrics, age: FeedAge) {
    metrics.database.watchEventFeed(() => age.seconds());
  }

  static with({ hasResolver, sweepIntervalMs, sweepFailures }: ApiSettings): DynamicModule {
    const providers = [
      { provide: HAS_RESOLVER, useValue: hasResolver },
      { provide: SWEEP_INTERVAL_MS, useValue: sweepIntervalMs },
      { provide: SWEEP_FAILURES, useValue: sweepFailures },
    ];
    return { module: ApiModule, providers };
  }
}

/** Health checks, metrics (without `METRICS_PORT`) and the files of the site, regardless of which interfaces are enabled. */
@Module({ imports: [StorageWriteModule], controllers: [HealthController, SiteController], providers: [Readiness] })
export class OperationsModule {
  static with(isReadPublic: boolean, hasMetricsPort: boolean): DynamicModule {
    const controllers = hasMetricsPort ? [] : [MetricsController];
    return { module: OperationsModule, controllers, providers: [{ provide: IS_READ_PUBLIC, useValue: isReadPublic }] };
  }
}
