import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import type { IdentifierRecord } from '../src/registry/identifier-record.js';
import type { NamingAuthority } from '../src/registry/naming-authority.js';
import { NamingAuthoritySnapshot } from '../src/registry/naming-authority-snapshot.js';

export const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

/** An active CORDRA identifier without attributes, as far as nothing else is said. */
export const recordWith = (members: Partial<IdentifierRecord> = {}): IdentifierRecord => ({
  id: 7n,
  namingAuthority: '100.102',
  guid: GUID,
  localName: GUID,
  metadataId: null,
  target: null,
  language: null,
  alternateIds: [],
  previousVersion: null,
  handleValues: null,
  state: 'active',
  leaseUntil: null,
  tombstone: null,
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  resolver: null,
  sandbox: false,
  describes: [],
  newerVersions: [],
  ...members,
});

/** The active naming authority 100.102 of the profile "cordra", as far as nothing else is said. */
export const authorityWith = (members: Partial<NamingAuthority> = {}): NamingAuthority => ({
  prefix: '100.102',
  state: 'active',
  profile: 'cordra',
  caseInsensitive: false,
  storesHandleValues: false,
  sandbox: false,
  metadataIdScheme: 'recognized',
  uuidVersion: 4,
  targetTemplate: null,
  resolver: null,
  version: 1,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...members,
});

export const KNOWN = new NamingAuthoritySnapshot([authorityWith()], DEFAULT_RESOLVER);
