import { Module } from '@nestjs/common';
import { ApiKeyStore } from './api-key-store.js';
import { ChangeReader } from './changes/change-reader.js';
import { FeedAge } from './changes/feed-age.js';
import { CoalescedReader } from './identifiers/coalesced-reader.js';
import { IdentifierReader } from './identifiers/identifier-reader.js';
import { IdentifierSearch } from './identifiers/identifier-search.js';
import { NamingAuthorityCache } from './naming-authorities/naming-authority-cache.js';
import { NamingAuthorityCounts } from './naming-authorities/naming-authority-counts.js';
import { NamingAuthorityReader } from './naming-authorities/naming-authority-reader.js';

const PROVIDERS = [
  ApiKeyStore,
  NamingAuthorityCounts,
  NamingAuthorityReader,
  ChangeReader,
  FeedAge,
  IdentifierSearch,
  CoalescedReader,
  IdentifierReader,
  NamingAuthorityCache,
];

@Module({ providers: PROVIDERS, exports: PROVIDERS })
export class StorageReadModule {}
