import { Module, type Provider } from '@nestjs/common';
import pg from 'pg';
import { HOT_POOL } from '../database/pool.js';
import { ApiKeyStore } from './api-key-store.js';
import { ChangeReader } from './changes/change-reader.js';
import { FeedAge } from './changes/feed-age.js';
import { CoalescedReader } from './identifiers/coalesced-reader.js';
import { IdentifierPages } from './identifiers/identifier-pages.js';
import { IdentifierReader } from './identifiers/identifier-reader.js';
import { RegistryFigures } from './registry-figures.js';
import { IdentifierSearch } from './identifiers/identifier-search.js';
import { NameHolders } from './identifiers/name-holders.js';
import { NameList } from './identifiers/name-list.js';
import { NearIdentifiers } from './identifiers/near-identifiers.js';
import { ValueSearch } from './identifiers/value-search.js';
import { NamingAuthorityCache } from './naming-authorities/naming-authority-cache.js';
import { NamingAuthorityCounts } from './naming-authorities/naming-authority-counts.js';
import { NamingAuthorityReader } from './naming-authorities/naming-authority-reader.js';
import { REPLICA, type Replica } from '../database/replica/replica.js';
import { HistoryReads, NamingAuthorityReads, RecordReads } from './replica/reads.js';

const PROVIDERS: Provider[] = [
  { provide: CoalescedReader, useFactory: (hot: pg.Pool) => new CoalescedReader(hot), inject: [HOT_POOL] },
  {
    provide: NearIdentifiers,
    useFactory: (primary: pg.Pool, replica: Replica | null) => new NearIdentifiers(replica ?? primary),
    inject: [pg.Pool, REPLICA],
  },
  ApiKeyStore,
  NamingAuthorityCounts,
  NamingAuthorityReader,
  ChangeReader,
  FeedAge,
  RegistryFigures,
  IdentifierSearch,
  IdentifierPages,
  IdentifierReader,
  NameHolders,
  NameList,
  ValueSearch,
  NamingAuthorityCache,
  HistoryReads,
  NamingAuthorityReads,
  RecordReads,
];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class StorageReadModule {}
