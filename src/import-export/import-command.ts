import { type GivenTexts, NO_TEXTS, readTexts, textsAfter } from '../registry/members.js';
import type { Principal } from '../access/principal.js';
import { HandleFault, parseExportedValues, targetIn } from '../handle/values/index.js';
import { omittedOf, parseHandle } from '@mintmark/identifier';
import { Problem, invalidValue, malformed } from '../problem/problem.js';
import { mutableAttributesOf, creation } from '../registry/change.js';
import { type CanonicalName, MAX_LOCAL_NAME_BYTES, isLongLocalName } from '../registry/canonical-name.js';
import {
  type MutableAttributes,
  type State,
  identifierOf,
  requireSize,
  type serializeTombstone,
} from '../registry/identifier-record.js';
import type { ImportedIdentifier } from '../registry/new-identifier.js';
import { requireNoUser } from '../registry/handle-user.js';
import { type NamingAuthoritySnapshot, addressIn } from '../registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../registry/naming-authority.js';
import {
  readAlternates,
  readMetadataId,
  readReplacementName,
  requireClearEnd,
  requireTwoThings,
} from '../registry/parse-names.js';
import { type RequestedPredecessor, predecessorOf, readPredecessor } from '../registry/predecessor.js';
import { EXPIRED, changeTime } from '../registry/lifecycle.js';
import type { StoredValue } from '../registry/stored-value.js';
import { targetFrom } from '../registry/target-template.js';
import { readTime } from '../registry/timestamp.js';
import type { ComparedLine } from './transfer-record.js';

/** An identifier as exported: names in any form, times as in RFC 3339. A template can compute an absent target (`parseImport`). */
export interface ImportRequest extends GivenTexts {
  readonly identifier: string;
  readonly metadataId: string | null;
  /** Default: active. */
  readonly state?: State | null;
  readonly alternateIds: readonly string[];
  readonly previousVersion: string | null;
  readonly handleValues: readonly unknown[] | null;
  readonly hiddenValues: number;
  /** Default: 1. */
  readonly version?: number | null;
  /** Default: the value of `updatedAt`, or else the time of the import. */
  readonly createdAt?: string | null;
  /** Default: the value of `createdAt`, or else the time of the import. */
  readonly updatedAt?: string | null;
  readonly leaseUntil: string | null;
  readonly tombstone: ReturnType<typeof serializeTombstone>;
}

export interface ImportCommand extends ComparedLine {
  readonly item: ImportedIdentifier;
}

/**
 * Parses and authorizes the import of one identifier.
 * @throws Problem INVALID_REQUEST, UNKNOWN_NAMING_AUTHORITY, SCOPE_MISSING, NAMING_AUTHORITY_FORBIDDEN, IDENTIFIER_TAKEN,
 * METADATA_ID_IS_IDENTIFIER, KEY_COLLISION, INVALID_PREDECESSOR, RECORD_TOO_LARGE, or a syntax code.
 */
export function parseImport(
  sent: ImportRequest,
  known: NamingAuthoritySnapshot,
  actor: Principal,
  now = new Date(),
): ImportCommand {
  const { authority, localName } = nameIn(sent.identifier, known, (prefix) => {
    actor.require('admin', prefix, '/identifier');
  });
  if (isLongLocalName(localName))
    throw invalidValue('/identifier', `the local name has more than ${MAX_LOCAL_NAME_BYTES} bytes in UTF-8`);
  requireNoUser(authority, localName, '/identifier');
  const address = addressIn(authority, localName);
  const self = known.canonicalName(identifierOf({ namingAuthority: authority.prefix, guid: address.guid, localName }));
  const { metadataIdScheme: scheme } = authority;
  const metadata = sent.metadataId === null ? null : readMetadataId(sent.metadataId, known, '/metadataId', scheme);
  requireTwoThings(self, metadata, '/metadataId');
  const alternates = readAlternates(sent.alternateIds, known, '/alternateIds');
  alternates.forEach((name, index) => {
    actor.requireNaming(name, index);
  });
  const sentTimes = timesIn(sent, now);
  const previousVersion = sent.previousVersion === null ? null : previousVersionIn(sent.previousVersion, self, known);
  // Stored values contain the target if there is one, so the target template does not apply.
  const byTemplate = (): string | null => (sent.handleValues === null ? targetFrom(authority, localName) : null);
  const target = sent.target === undefined ? byTemplate() : sent.target;
  const texts = textsAfter(NO_TEXTS, { ...readTexts(sent), target });
  const handleValues = valuesIn(sent);
  const { replacedBy, ...lifecycle } = lifecycleIn(sent, known, self, now);
  requireValuesOf(authority, handleValues, target);
  const hasExpired = lifecycle.state !== (sent.state ?? 'active');
  const kept = hasExpired ? NO_NAMES : { metadata, alternates, previousVersion };
  const version = (sent.version ?? 1) + (hasExpired ? 1 : 0);
  const times = {
    ...sentTimes,
    updatedAt: hasExpired ? changeTime(sentTimes, lifecycle.tombstone?.withdrawnAt ?? now) : sentTimes.updatedAt,
  };
  const attributes: MutableAttributes = {
    metadataId: kept.metadata?.canonical ?? null,
    alternateIds: kept.alternates.map(({ canonical }) => canonical),
    previousVersion: kept.previousVersion?.canonical ?? null,
    ...{ ...texts, handleValues, ...lifecycle },
  };
  requireSize({ namingAuthority: authority.prefix, localName, ...attributes }, null);
  return {
    names: { ...kept, replacedBy },
    record: { namingAuthority: authority.prefix, localName, version, ...times, ...attributes },
    item: {
      ...times,
      ...{ authority, address, localName, selfKey: self.key, actor, request: null, metadataRecord: null },
      ...{ ...texts, ...lifecycle, metadata: kept.metadata, alternates: kept.alternates },
      ...(handleValues !== null && { handleValues }),
      ...(kept.previousVersion !== null && { previousVersion: kept.previousVersion }),
      version,
      kind: 'imported',
      patch: creation(mutableAttributesOf(attributes)),
    },
  };
}

/** A reservation that has expired keeps only its own name, and its expiry is a version of the record. */
const NO_NAMES = { metadata: null, alternates: [], previousVersion: null } as const;

/** @param requireGrant rejects a naming authority outside the grants, so that the response does not reveal whether it exists. */
function nameIn(
  text: string,
  known: NamingAuthoritySnapshot,
  requireGrant: (prefix: string) => void,
): { authority: NamingAuthority; localName: string } {
  requireClearEnd(text, known, '/identifier');
  const slash = text.indexOf('/');
  const own = slash < 0 ? undefined : known.find(text.slice(0, slash));
  if (own?.profile === 'handle') {
    const read = parseHandle(text);
    if (!read.ok) throw malformed(read.fault, '/identifier');
    requireGrant(own.prefix);
    if (read.value.localName !== '') return { authority: own, localName: read.value.localName };
  }
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, '/identifier');
  const { name, parts } = read.value;
  if ('namingAuthority' in name) requireGrant(name.namingAuthority);
  if (known.locate(name) === null || (name.type !== 'cordra' && name.type !== 'handle')) {
    const detail = `the naming authority of "${text}" does not exist`;
    throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, { errors: [{ pointer: '/identifier', detail }] });
  }
  const omitted = omittedOf(parts);
  if (omitted.length > 0) {
    const detail = `has a ${omitted.join(' and a ')}, which a Handle does not have (R-02): leave it out, or write "?" as "%3F" and "#" as "%23" where they are part of the local name`;
    throw invalidValue('/identifier', detail);
  }
  const authority = known.find(name.namingAuthority);
  if (authority === undefined)
    throw new TypeError(`${name.namingAuthority} was found before and is missing from the snapshot`);
  return { authority, localName: name.type === 'cordra' ? name.guid : name.localName };
}

function timesIn({ createdAt, updatedAt }: ImportRequest, now: Date): { createdAt: Date; updatedAt: Date } {
  const created = createdAt == null ? null : readPast(createdAt, '/createdAt', now);
  const updated = updatedAt == null ? null : readPast(updatedAt, '/updatedAt', now);
  const times = { createdAt: created ?? updated ?? now, updatedAt: updated ?? created ?? now };
  if (times.updatedAt < times.createdAt) throw invalidValue('/updatedAt', 'is earlier than createdAt');
  return times;
}

/** How far the clock of the exporting system may be ahead. */
const MAX_AHEAD_MS = 300_000;

/** Reads a time at most `MAX_AHEAD_MS` ahead, because later changes must not have earlier times. @throws Problem INVALID_REQUEST */
function readPast(text: string, pointer: string, now: Date): Date {
  const time = readTime(text, pointer);
  if (time.getTime() <= now.getTime() + MAX_AHEAD_MS) return time;
  throw invalidValue(pointer, `is more than 5 minutes in the future: the time of this service is ${now.toISOString()}`);
}

/** The state and its times. A reservation whose lease has ended is withdrawn. @throws Problem INVALID_REQUEST */
function lifecycleIn(
  sent: ImportRequest,
  known: NamingAuthoritySnapshot,
  self: CanonicalName,
  now: Date,
): Pick<MutableAttributes, 'state' | 'leaseUntil' | 'tombstone'> & { readonly replacedBy: CanonicalName | null } {
  const state = sent.state ?? 'active';
  const leaseUntil = sent.leaseUntil === null ? null : readTime(sent.leaseUntil, '/leaseUntil');
  requireOnlyIn('reserved', state, '/leaseUntil', leaseUntil);
  requireOnlyIn('withdrawn', state, '/tombstone', sent.tombstone);
  if (state === 'reserved' && sent.previousVersion !== null)
    throw invalidValue('/previousVersion', 'is not permitted in the state "reserved"');
  if (leaseUntil !== null && leaseUntil.getTime() <= now.getTime()) {
    return {
      state: 'withdrawn',
      leaseUntil: null,
      tombstone: { withdrawnAt: leaseUntil, ...EXPIRED },
      replacedBy: null,
    };
  }
  if (sent.tombstone === null) return { state, leaseUntil, tombstone: null, replacedBy: null };
  const { withdrawnAt, reasonCode, reason } = sent.tombstone;
  const replacedBy = sent.tombstone.replacedBy === null ? null : replacementIn(sent.tombstone.replacedBy, self, known);
  const tombstone = {
    withdrawnAt: readPast(withdrawnAt, '/tombstone/withdrawnAt', now),
    ...{ reasonCode, reason },
    replacedBy: replacedBy?.canonical ?? null,
  };
  return { state, leaseUntil, tombstone, replacedBy };
}

function requireOnlyIn(only: State, state: State, pointer: string, value: object | null): void {
  if ((state === only) === (value !== null)) return;
  throw invalidValue(pointer, `is ${value === null ? 'required' : 'permitted only'} in the state "${only}"`);
}

function valuesIn({ handleValues, hiddenValues }: ImportRequest): readonly StoredValue[] | null {
  if (hiddenValues > 0) {
    throw invalidValue('/hiddenValues', 'must be 0: export with a key of the scope "admin", which gets all values');
  }
  try {
    return handleValues === null ? null : parseExportedValues(handleValues);
  } catch (error) {
    if (error instanceof HandleFault) throw invalidValue('/handleValues', error.message);
    throw error;
  }
}

function requireValuesOf(
  authority: NamingAuthority,
  handleValues: readonly StoredValue[] | null,
  target: string | null,
): void {
  if (handleValues === null) return;
  if (!authority.storesHandleValues) {
    throw invalidValue(
      '/handleValues',
      `must be null: ${authority.prefix} was created without "storesHandleValues": true`,
    );
  }
  const stored = targetIn(handleValues);
  if (stored !== undefined && stored !== target)
    throw invalidValue('/target', 'must be the URL value of the lowest index in handleValues');
}

/** The replacement in a tombstone. It need not be registered. @throws Problem INVALID_REQUEST for the identifier itself */
function replacementIn(sent: string, self: CanonicalName, known: NamingAuthoritySnapshot): CanonicalName {
  const { name, canonical } = readReplacementName(sent, known, '/tombstone/replacedBy');
  const read = known.canonicalName(name);
  if (read.comparison === self.comparison) throw invalidValue('/tombstone/replacedBy', 'must name another identifier');
  return { ...read, canonical };
}

/** The previous version, which may be unregistered, because a later line of the import can contain it. */
function previousVersionIn(text: string, self: CanonicalName, known: NamingAuthoritySnapshot): RequestedPredecessor {
  const requested = readPredecessor(text, known, '/previousVersion');
  predecessorOf({ ...requested, address: null, isHidden: false }, null, self);
  return requested;
}
