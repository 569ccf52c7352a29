import { type DynamicModule, Module } from '@nestjs/common';
import { FindingModule } from '../../finding/finding.module.js';
import { FindingService } from '../../finding/finding.service.js';
import { Metrics } from '../../metrics/metrics.js';
import { RecordCache } from '../../storage/identifiers/cache/record-cache.js';
import { HistoryReads, NamingAuthorityReads, RecordReads } from '../../storage/replica/reads.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { HandleResolver } from './handle-resolver.js';
import { PastedTexts } from './pasted-texts.js';
import { ResolverHandler, type ResolverSettings } from './resolver.handler.js';

@Module({})
export class ResolverModule {
  static with(settings: ResolverSettings): DynamicModule {
    const handler = {
      provide: ResolverHandler,
      inject: [RecordCache, RecordReads, NamingAuthorityReads, HistoryReads, Metrics, FindingService],
      useFactory: (
        records: RecordCache,
        lookups: RecordReads,
        authorities: NamingAuthorityReads,
        histories: HistoryReads,
        metrics: Metrics,
        finding: FindingService,
      ) => {
        const resolver = new HandleResolver(records, lookups, authorities);
        const texts = new PastedTexts(resolver, finding);
        return new ResolverHandler(resolver, histories, metrics, settings, texts);
      },
    };
    return {
      module: ResolverModule,
      imports: [StorageReadModule, FindingModule],
      providers: [handler],
      exports: [handler],
    };
  }
}
