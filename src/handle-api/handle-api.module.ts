import { type DynamicModule, Module } from '@nestjs/common';
import { Metrics } from '../metrics/metrics.js';
import { CachedResolution } from '../storage/identifiers/cache/cached-resolution.js';
import { NameList } from '../storage/identifiers/name-list.js';
import { NamingAuthorityCache } from '../storage/naming-authorities/naming-authority-cache.js';
import { StorageReadModule } from '../storage/storage-read.module.js';
import { HandleApi } from './handle-api.js';
import { HandleFinder } from './handles/handle-finder.js';
import { ListHandler } from './handles/list.handler.js';
import { ReadHandler } from './handles/read.handler.js';

@Module({})
export class HandleApiModule {
  /** @param requiresKeys whether writing requires a key. */
  static with(requiresKeys: boolean): DynamicModule {
    const api = {
      provide: HandleApi,
      inject: [CachedResolution, NamingAuthorityCache, NameList, Metrics],
      useFactory: (records: CachedResolution, authorities: NamingAuthorityCache, names: NameList, metrics: Metrics) => {
        const finder = new HandleFinder(records, authorities);
        const reads = new ReadHandler(finder, metrics, requiresKeys);
        const lists = new ListHandler(finder, names, metrics, requiresKeys);
        return new HandleApi({ reads, lists }, requiresKeys);
      },
    };
    return { module: HandleApiModule, imports: [StorageReadModule], providers: [api], exports: [api] };
  }
}
