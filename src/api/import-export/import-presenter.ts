import { HttpStatus } from '@nestjs/common';
import { rejection } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { nativeText } from '../../registry/identifier-record.js';
import { keyCollision } from '../../registry/key-collision.js';
import {
  type ConflictReader,
  claimProblem,
  conflictProblem,
  nameConflictProblem,
} from '../../registry/conflict-problem.js';
import type { LineResult } from '../../import-export/import.service.js';
import type { ImportConflicts } from '../../import-export/transfer-record.js';
import type { ImportResultDto } from './transfer-line.dto.js';

export const IMPORT_PATH = '/identifiers/import';

export function presentLine({ line, result }: LineResult, reader: ConflictReader): ImportResultDto {
  if (result instanceof Problem) return { line, ...rejection(result, IMPORT_PATH) };
  if (result.outcome === 'conflict') return { line, ...rejection(problemIn(result.conflicts, reader), IMPORT_PATH) };
  const { outcome, record } = result;
  const status = outcome === 'imported' ? HttpStatus.CREATED : HttpStatus.OK;
  return { line, status, identifier: nativeText(record), outcome };
}

function problemIn(
  { address, metadata, alternate, claim, registered, collision }: ImportConflicts,
  reader: ConflictReader,
): Problem {
  if (collision !== null) return keyCollision(collision === '/localName' ? '/identifier' : collision);
  if (address !== null) {
    const what = 'This identifier is registered with other attributes';
    return conflictProblem('IDENTIFIER_TAKEN', what, address, '/identifier');
  }
  if (metadata !== null) {
    const what = 'This metadata ID is used by an identifier';
    return conflictProblem('METADATA_ID_TAKEN', what, metadata, '/metadataId');
  }
  if (claim !== null) return claimProblem(claim, '/identifier', reader);
  const holder = alternate ?? registered;
  if (holder === null) throw new TypeError('an import conflict always has an identifier');
  return nameConflictProblem('ALTERNATE_ID_TAKEN', holder.record, `/alternateIds/${holder.index}`);
}
