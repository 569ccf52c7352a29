import {
  HandleFault,
  invalidInput,
  requireStorableSize,
  RESPONSE_CODE,
  type ValuesToPut,
  isMetadataId,
  putValues,
  requireComputable,
  textOf,
  withMetadataId,
  withTarget,
  withoutValues,
} from '../handle/values/index.js';
import type { CanonicalName } from '../registry/canonical-name.js';
import { type IdentifierRecord, identifierOf } from '../registry/identifier-record.js';
import { isSameName } from '../registry/key-collision.js';
import { type Amendment, deletion, isDeleted, reinstatement, requireState } from '../registry/lifecycle.js';
import type { MetadataIdScheme } from '../registry/naming-authority.js';
import { type NamingAuthoritySnapshot, activeIn } from '../registry/naming-authority-snapshot.js';
import { invalidRequest } from '../problem/problem.js';
import { readMetadataId, requireTwoThings } from '../registry/parse-names.js';
import { type StoredValue, isShown } from '../registry/stored-value.js';

/** A write of Handle values by a client of the Handle System. `parsePut` adds `metadata` if the write has a METADATA_ID value. */
export type ValuesStep =
  | { readonly step: 'put'; readonly put: ValuesToPut; readonly metadata?: CanonicalName }
  | { readonly step: 'removed'; readonly indexes: readonly number[] }
  | { readonly step: 'deleted' };

/** The text of the METADATA_ID value; null if there is none. @throws HandleFault if the value is not public or not a text. */
export function metadataIdIn(values: readonly StoredValue[]): string | null {
  const found = values.find(isMetadataId);
  if (found === undefined) return null;
  if (!isShown(found)) throw invalidInput('METADATA_ID must be readable by everybody');
  const text = textOf(found);
  if (text === null) throw invalidInput('the data of METADATA_ID must be a text');
  return text;
}

/** Parses the METADATA_ID value, which is stored in its canonical form. @throws Problem as `readMetadataId` does */
export function parsePut(put: ValuesToPut, known: NamingAuthoritySnapshot, scheme?: MetadataIdScheme): ValuesStep {
  const text = metadataIdIn(put.values);
  if (text === null) return { step: 'put', put };
  const metadata = readMetadataId(text, known, '/values', scheme);
  return { step: 'put', put: { ...put, values: withText(put.values, metadata.canonical) }, metadata };
}

/** The values with another text of the METADATA_ID value. */
function withText(values: readonly StoredValue[], text: string): StoredValue[] {
  const data = { format: 'string', value: text };
  return values.map((value) => (isMetadataId(value) ? { ...value, data } : value));
}

/** The content of a write for its fingerprint. It excludes timestamps, because they are the time of the request. */
export function valuesContent(step: Exclude<ValuesStep, { readonly step: 'deleted' }>): object {
  if (step.step === 'removed') return { indexes: step.indexes };
  const { put, metadata } = step;
  const { indexes, overwrite } = put;
  const values = metadata === undefined ? put.values : withText(put.values, metadata.key);
  return { indexes, overwrite, values: values.map(({ timestamp: _, ...value }) => value) };
}

/**
 * Decides how a write changes a locked record and its state.
 * @returns null if the record already has these values.
 * @throws HandleFault code 4, 100, 101, 200, 201, or 400 if the record may not be deleted
 * @throws Problem WRONG_STATE, METADATA_ID_IS_IDENTIFIER
 */
export function decideValues(
  record: IdentifierRecord,
  step: ValuesStep,
  { at, known }: { readonly at: Date; readonly known: NamingAuthoritySnapshot },
): Amendment | null {
  if (isDeleted(record) && (step.step !== 'put' || step.put.indexes !== null))
    throw new HandleFault(RESPONSE_CODE.handleNotFound);
  if (step.step === 'deleted') return deleteRecord(record, at);
  // A write registers a deleted Handle again, which requires an active naming authority.
  if (isDeleted(record)) activeIn(known, record.namingAuthority);
  if (step.step === 'put' && step.put.indexes === null && !step.put.overwrite && !isDeleted(record))
    throw new HandleFault(RESPONSE_CODE.handleExists);
  if (!isDeleted(record)) requireState(record, 'changed');
  const metadata = step.step === 'put' ? step.metadata : undefined;
  requireTwoThings(known.canonicalName(identifierOf(record)), metadata ?? null, '/values');
  const setsMetadata = metadata !== undefined && !isSameName(record.metadataId, metadata);
  const edited =
    step.step === 'put'
      ? putValues(record, putOf(record, step.put, setsMetadata))
      : withoutValues(record, step.indexes);
  const stores = known.find(record.namingAuthority)?.storesHandleValues === true;
  if (!stores) requireComputable(edited.values, record.namingAuthority);
  const isSame = stores ? !edited.isChanged : edited.target === record.target;
  if (isSame && !setsMetadata && !edited.removesMetadataId && !isDeleted(record)) return null;
  return {
    ...(isDeleted(record) ? reinstatement() : { kind: 'changed' as const }),
    target: edited.target,
    ...(stores && { handleValues: edited.values }),
    ...(setsMetadata && { metadata }),
    ...(edited.removesMetadataId && { metadata: null }),
  };
}

/** The values to write. A metadata ID that the record already has keeps its stored notation. */
function putOf({ metadataId }: IdentifierRecord, put: ValuesToPut, setsMetadata: boolean): ValuesToPut {
  return setsMetadata || metadataId === null ? put : { ...put, values: withText(put.values, metadataId) };
}

function deleteRecord(record: IdentifierRecord, at: Date): Amendment {
  if (!record.sandbox) {
    const message = `Handles under ${record.namingAuthority} are not deleted; withdraw this one in the REST API instead (POST /identifiers/{identifier}/withdraw)`;
    throw new HandleFault(RESPONSE_CODE.notAuthorized, message);
  }
  requireState(record, 'deleted');
  return deletion(at);
}

function requireRoomFor(values: readonly StoredValue[]): void {
  try {
    requireStorableSize(values);
  } catch (error) {
    throw error instanceof HandleFault ? invalidRequest('', error.message) : error;
  }
}

/** If the record stores Handle values, adds them to the new values, changed to contain the new target and metadata ID. */
export function withStoredValues<
  T extends { readonly target?: string | null; readonly metadata?: CanonicalName | null },
>({ handleValues }: IdentifierRecord, values: T, at: Date): T & Pick<Amendment, 'handleValues'> {
  if (handleValues === null) return values;
  const { target, metadata } = values;
  const targeted = target === undefined ? handleValues : withTarget(handleValues, target, at);
  const changed = metadata === undefined ? targeted : withMetadataId(targeted, metadata?.canonical ?? null, at);
  requireRoomFor(changed);
  return { ...values, handleValues: changed };
}
