import { canonicalUri, toHandle } from '@mintmark/identifier';
import { nativeText, serializeLifecycle } from '../../registry/identifier-record.js';
import type { TransferRecord } from '../../import-export/transfer-record.js';
import type { TransferLineDto } from './transfer-line.dto.js';

export type TransferLine = Required<TransferLineDto>;

/** Members that the registry sets at minting. A list to import may omit them. */
export const REGISTRY_MEMBERS = ['state', 'version', 'createdAt', 'updatedAt'] as const;

/** The members that are compared to decide whether a line is unchanged; undefined, as in an export, for all members. */
export function comparedIn(sent: object): readonly string[] | undefined {
  const present = Object.entries(sent).flatMap(([name, value]) => (isAbsent(name, value) ? [] : [name]));
  return REGISTRY_MEMBERS.every((name) => present.includes(name)) ? undefined : [...present, 'state'];
}

function isAbsent(name: string, value: unknown): boolean {
  return value === null && (REGISTRY_MEMBERS as readonly string[]).includes(name);
}

/** The line of a record. @param shown the redacted record. @param isComplete whether values that are not public are exported. */
export function lineOf(record: TransferRecord, shown: TransferRecord, isComplete: boolean): TransferLine {
  const line = { identifier: nameOf(shown), metadataId: shown.metadataId, ...serializeLifecycle(shown) };
  const handleValues = isComplete && shown.handleValues !== null ? [...shown.handleValues] : line.handleValues;
  return { ...line, handleValues, hiddenValues: (record.handleValues?.length ?? 0) - (handleValues?.length ?? 0) };
}

/** `NA/local`, or the URI of a name that ends with white space, because an import rejects white space that is not escaped. */
function nameOf(record: TransferRecord): string {
  const name = nativeText(record);
  return name === name.trimEnd() ? name : canonicalUri(toHandle(name, { charset: 'unicode' }));
}
