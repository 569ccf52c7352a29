import { randomUUID } from 'node:crypto';
import { toResolver } from '@mintmark/identifier';
import { buildIdentifier } from '../dist/registry/build-identifier.js';
import { digestOf } from '../dist/registry/uuid.js';
import { NamingAuthoritySnapshot } from '../dist/registry/naming-authority-snapshot.js';

export const NAMING_AUTHORITY = {
  prefix: '100.102',
  state: 'active',
  profile: 'cordra',
  caseInsensitive: false,
  uuidVersion: 4,
  targetTemplate: null,
  resolver: null,
  version: 1,
};

const known = new NamingAuthoritySnapshot(
  [NAMING_AUTHORITY],
  toResolver({ scheme: 'http', authority: 'hdl.handle.net' }),
);

/** A typical mint, with a metadata ID and a target, as input of `insertQuery`. */
export function newIdentifier() {
  const guid = randomUUID();
  const canonical = `hdl:2000.01/${guid.replaceAll('-', '').toUpperCase()}`;
  const command = {
    namingAuthority: NAMING_AUTHORITY.prefix,
    metadata: { canonical, key: digestOf(canonical) },
    mintMetadataId: false,
    target: `https://repo.example.org/objects/${guid}`,
    alternates: [],
    previousVersion: null,
    guid: null,
    localName: null,
    leaseUntil: null,
    onExisting: 'match',
  };
  const context = { actor: { client: 'admin', keyId: null }, request: null };
  return buildIdentifier(command, context, NAMING_AUTHORITY, known, { next: () => randomUUID() });
}
