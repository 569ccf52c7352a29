import type { Caller } from '../access/caller.js';
import { parseHandle } from '../identifier/index.js';
import { readPart } from '../http/request-validation.js';
import { Problem, malformed } from '../problem/problem.js';
import { creation, factsOf } from '../record/change-log.js';
import { type Facts, identifierOf } from '../record/identifier-record.js';
import type { ImportedIdentifier } from '../record/imported-identifier.js';
import type { KnownAuthorities } from '../record/known-authorities.js';
import type { NamingAuthority } from '../record/naming-authority.js';
import { readAlternates, readMetadataId, replacementText, requireTwoThings } from '../record/read-names.js';
import { LAPSED_REASON } from '../record/rows.js';
import { readTime } from '../record/time.js';
import { lineOf } from './transfer-line.js';
import { TransferLineDto } from './transfer-line.dto.js';

/** A line that was read: what is to be inserted, and the line as an export would write it. */
export interface ImportOrder {
  readonly item: ImportedIdentifier;
  readonly line: TransferLineDto;
}

/**
 * Reads one identifier of an export.
 * @throws Problem INVALID_REQUEST, UNKNOWN_NAMING_AUTHORITY, NAMING_AUTHORITY_FORBIDDEN, METADATA_ID_IS_IDENTIFIER, or a syntax code.
 */
export function readLine(value: unknown, known: KnownAuthorities, actor: Caller): ImportOrder {
  const sent = readPart(TransferLineDto, value);
  const { authority, localName } = addressIn(sent.identifier, known);
  actor.require('admin', authority.prefix, '/identifier');
  const address = known.addressOf(authority, localName);
  const { guid } = address;
  const ownKey = known.storedName(identifierOf({ namingAuthority: authority.prefix, guid, localName })).key;
  const metadata = sent.metadataId === null ? null : readMetadataId(sent.metadataId, known, '/metadataId');
  requireTwoThings(ownKey, metadata, '/metadataId');
  const alternates = readAlternates(sent.alternateIds, known, '/alternateIds');
  const times = {
    createdAt: readTime(sent.createdAt, '/createdAt'),
    updatedAt: readTime(sent.updatedAt, '/updatedAt'),
  };
  if (times.updatedAt < times.createdAt) throw wrong('/updatedAt', 'is before createdAt');
  const facts = factsIn(
    sent,
    known,
    metadata?.canonical ?? null,
    alternates.map(({ canonical }) => canonical),
  );
  const freed = facts.state !== sent.state;
  const born = { namingAuthority: authority.prefix, localName, version: sent.version, ...times, ...facts };
  return {
    line: lineOf(born),
    item: {
      ...times,
      ...{ authority, address, localName, ownKey, actor, request: null, metadataRecord: null },
      ...{ state: facts.state, target: facts.target, leaseUntil: facts.leaseUntil, tombstone: facts.tombstone },
      metadata: freed ? null : metadata,
      alternates: freed ? [] : alternates,
      version: sent.version,
      kind: 'imported',
      patch: creation(factsOf(facts)),
    },
  };
}

/** An identifier as it is exported, whose local name stands as it was registered; or in any other spelling. */
function addressIn(text: string, known: KnownAuthorities): { authority: NamingAuthority; localName: string } {
  const slash = text.indexOf('/');
  const own = slash < 0 ? undefined : known.find(text.slice(0, slash));
  if (own?.profile === 'handle') {
    const read = parseHandle(text);
    if (!read.ok) throw malformed(read.fault, '/identifier');
    if (read.value.localName !== '') return { authority: own, localName: read.value.localName };
  }
  const read = known.recognize(text);
  if (!read.ok) throw malformed(read.fault, '/identifier');
  const { name } = read.value;
  if (known.locate(name, text, '/identifier') === null || (name.type !== 'cordra' && name.type !== 'handle')) {
    const detail = `nothing is registered here under the naming authority of "${text}"`;
    throw new Problem('UNKNOWN_NAMING_AUTHORITY', detail, { errors: [{ pointer: '/identifier', detail }] });
  }
  const authority = known.find(name.namingAuthority);
  if (authority === undefined) throw new TypeError(`${name.namingAuthority} was located and is not known`);
  return { authority, localName: name.type === 'cordra' ? name.guid : name.localName };
}

/** What can change about the identifier; a reservation whose lease has ended is withdrawn, as it is everywhere else. */
function factsIn(
  sent: TransferLineDto,
  known: KnownAuthorities,
  metadataId: string | null,
  alternateIds: readonly string[],
): Facts {
  const { state, target } = sent;
  const leaseUntil = sent.leaseUntil === null ? null : readTime(sent.leaseUntil, '/leaseUntil');
  if ((state === 'reserved') !== (leaseUntil !== null)) throw wrong('/leaseUntil', 'goes with the state "reserved"');
  if ((state === 'withdrawn') !== (sent.tombstone !== null))
    throw wrong('/tombstone', 'goes with the state "withdrawn"');
  if (leaseUntil !== null && leaseUntil.getTime() <= Date.now()) {
    const tombstone = { withdrawnAt: leaseUntil, reason: LAPSED_REASON, replacedBy: null };
    return { metadataId: null, target, alternateIds: [], state: 'withdrawn', leaseUntil: null, tombstone };
  }
  const tombstone =
    sent.tombstone === null
      ? null
      : {
          withdrawnAt: readTime(sent.tombstone.withdrawnAt, '/tombstone/withdrawnAt'),
          reason: sent.tombstone.reason,
          replacedBy: sent.tombstone.replacedBy === null ? null : replacementIn(sent.tombstone.replacedBy, known),
        };
  return { metadataId, target, alternateIds, state, leaseUntil, tombstone };
}

/** Texts that are read by their scheme; a native Handle that begins so is written as a URI. */
const URI = /^(?:hdl|info|https?|doi|urn):/i;

/** What replaces an identifier, as a tombstone names it: a native Handle as it stands, and anything else in any spelling. */
function replacementIn(text: string, known: KnownAuthorities): string {
  const read = known.recognize(text);
  const isCordra = read.ok && read.value.name.type === 'cordra';
  if (!isCordra && !URI.test(text) && parseHandle(text, 'unicode').ok) return text;
  const { name, canonical } = readMetadataId(text, known, '/tombstone/replacedBy');
  return replacementText(name, canonical);
}

function wrong(pointer: string, detail: string): Problem {
  return new Problem('INVALID_REQUEST', `${pointer}: ${detail}`, { errors: [{ pointer, detail }] });
}
