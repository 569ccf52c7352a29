import { type IdentifierRecord, identifierOf, requireSize } from './identifier-record.js';
import { Problem } from '../problem/problem.js';
import type { Actor } from './change.js';
import { requireNoUser } from './handle-user.js';
import { type Address, type NamingAuthoritySnapshot, addressIn } from './naming-authority-snapshot.js';
import type { NamingAuthority } from './naming-authority.js';
import type { NewIdentifier, RequestIndex } from './new-identifier.js';
import { requireTwoThings } from './parse-names.js';
import { type GuidGenerator, compactGuid } from './uuid.js';
import type { CanonicalName } from './canonical-name.js';
import { predecessorOf } from './predecessor.js';
import { targetFrom } from './target-template.js';
import type { MintCommand } from './mint-command.js';
import { requireFuture } from './timestamp.js';

/** The principal of a mint, and the place of the mint in its request, if the request has an Idempotency-Key. */
export interface MintContext {
  readonly actor: Actor;
  readonly request: RequestIndex | null;
}

interface Named {
  readonly address: Address;
  readonly localName: string;
}

/**
 * Builds a new identifier without the database.
 * @throws Problem WRONG_PROFILE, WRONG_METADATA_ID_SCHEME, METADATA_ID_IS_IDENTIFIER, INVALID_PREDECESSOR, RECORD_TOO_LARGE,
 * IDENTIFIER_TAKEN for the name of a user, or INVALID_REQUEST for a lease in the past and as `targetFrom` does.
 */
export function buildIdentifier(
  command: MintCommand,
  { actor, request }: MintContext,
  authority: NamingAuthority,
  known: NamingAuthoritySnapshot,
  guids: GuidGenerator,
  previous: IdentifierRecord | null = null,
): NewIdentifier {
  requireProfile(command, authority);
  if (command.mintMetadataId && authority.metadataIdScheme === 'any') throw wrongScheme(authority);
  // The lease is checked here instead of in the parser, because a replay returns the first result even after the lease has ended.
  if (command.leaseUntil !== null) requireFuture(command.leaseUntil, '/leaseUntil');
  const mintedName = (): string => compactGuid(guids.next(authority.uuidVersion));
  const registeredName = command.guid ?? command.localName;
  const object = named(authority, registeredName ?? command.localNameStart + mintedName());
  if (registeredName !== null) requireNoUser(authority, registeredName, '/localName');
  const record = command.mintMetadataId ? named(authority, mintedName()) : null;
  const metadata = record === null ? command.metadata : canonicalNameOf(authority, known, record);
  const self = registeredName === null ? null : canonicalNameOf(authority, known, object);
  if (self !== null && metadata !== null) requireTwoThings(self, metadata, '/metadataId');
  const { alternates, handleValues, language, leaseUntil, previousVersion: requested } = command;
  const previousVersion = requested === null ? null : predecessorOf(requested, previous, self);
  // Stored values are exactly what the client sent, so the target template does not apply.
  const target = command.target ?? (handleValues === null ? targetFrom(authority, object.localName) : null);
  const sized = {
    target,
    language,
    namingAuthority: authority.prefix,
    localName: object.localName,
    metadataId: metadata?.canonical ?? null,
    previousVersion: previousVersion?.canonical ?? null,
    alternateIds: alternates.map(({ canonical }) => canonical),
  };
  requireSize(sized, null);
  // Members are listed, because spreading objects takes microseconds.
  return {
    target,
    language,
    authority,
    address: object.address,
    localName: object.localName,
    selfKey: self?.key ?? null,
    metadata,
    alternates,
    handleValues: handleValues ?? undefined,
    previousVersion: previousVersion ?? undefined,
    leaseUntil,
    metadataRecord: record && { ...record, target: command.metadataTarget },
    request,
    actor,
  };
}

function named(authority: NamingAuthority, localName: string): Named {
  return { address: addressIn(authority, localName), localName };
}

function canonicalNameOf(
  { prefix }: NamingAuthority,
  known: NamingAuthoritySnapshot,
  { address, localName }: Named,
): CanonicalName {
  return known.canonicalName(identifierOf({ namingAuthority: prefix, guid: address.guid, localName }));
}

function requireProfile({ guid, localName, localNameStart }: MintCommand, { prefix, profile }: NamingAuthority): void {
  if ((localName !== null || localNameStart !== '') && profile === 'cordra') {
    throw wrongProfile(
      '/localName',
      `local names under ${prefix} are GUIDs (CID-10): name none to mint one, or send a GUID as "guid"`,
    );
  }
  if (guid !== null && profile === 'handle') {
    throw wrongProfile('/guid', `local names under ${prefix} are not GUIDs: send "localName" instead`);
  }
}

function wrongScheme({ prefix }: NamingAuthority): Problem {
  const detail = `metadata IDs under ${prefix} are texts of the client ("metadataIdScheme": "any"): send "metadataId", or mint the identifier of the metadata record in a request of its own`;
  return new Problem('WRONG_METADATA_ID_SCHEME', detail, { errors: [{ pointer: '/mintMetadataId', detail }] });
}

function wrongProfile(pointer: string, detail: string): Problem {
  return new Problem('WRONG_PROFILE', detail, { errors: [{ pointer, detail }] });
}
