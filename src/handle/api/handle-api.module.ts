import { type DynamicModule, Module } from '@nestjs/common';
import { KeyValidity } from '../../access/key-reads.js';
import { Places } from '../../access/limits/places.js';
import { ChangingModule } from '../../changing/changing.module.js';
import { HandleRecordsService } from '../../changing/handle-records.service.js';
import { Metrics } from '../../metrics/metrics.js';
import { RecordCache } from '../../storage/identifiers/cache/record-cache.js';
import { IdentifierPages } from '../../storage/identifiers/identifier-pages.js';
import { IdentifierReader } from '../../storage/identifiers/identifier-reader.js';
import { NameList } from '../../storage/identifiers/name-list.js';
import { ValueSearch } from '../../storage/identifiers/value-search.js';
import { NamingAuthorityCache } from '../../storage/naming-authorities/naming-authority-cache.js';
import { NamingAuthorityReads } from '../../storage/replica/reads.js';
import { StorageReadModule } from '../../storage/storage-read.module.js';
import { HandleApi } from './handle-api.js';
import { HandleFinder } from './handles/handle-finder.js';
import { ListHandler } from './handles/list.handler.js';
import { ReadHandler } from './handles/read.handler.js';
import { WriteHandler } from './handles/write.handler.js';
import { HandleExport } from './hdlresolver/handle-export.js';
import { HdlresolverHandler } from './hdlresolver/hdlresolver.handler.js';
import { HrlsHandler } from './hrls/hrls.handler.js';

@Module({})
export class HandleApiModule {
  static with(requiresKeys: boolean): DynamicModule {
    const api = {
      provide: HandleApi,
      inject: [
        RecordCache,
        NamingAuthorityCache,
        NamingAuthorityReads,
        NameList,
        IdentifierReader,
        IdentifierPages,
        ValueSearch,
        KeyValidity,
        HandleRecordsService,
        Metrics,
        Places,
      ],
      useFactory: (
        resolution: RecordCache,
        primaryAuthorities: NamingAuthorityCache,
        authorities: NamingAuthorityReads,
        names: NameList,
        identifiers: IdentifierReader,
        pages: IdentifierPages,
        search: ValueSearch,
        keys: KeyValidity,
        records: HandleRecordsService,
        metrics: Metrics,
        places: Places,
      ) => {
        const finder = new HandleFinder(resolution, authorities);
        const reads = new ReadHandler(finder, metrics, requiresKeys);
        const lists = new ListHandler(finder, names, metrics, requiresKeys, places);
        const writes = new WriteHandler(new HandleFinder(resolution, primaryAuthorities), records, metrics);
        const hdlresolver = new HdlresolverHandler(finder, new HandleExport(pages, keys), metrics, places);
        const hrls = new HrlsHandler(finder, search, identifiers, metrics, requiresKeys, places);
        return new HandleApi({ reads, lists, writes }, hdlresolver, hrls, requiresKeys);
      },
    };
    return {
      module: HandleApiModule,
      imports: [StorageReadModule, ChangingModule],
      providers: [api],
      exports: [api],
    };
  }
}
