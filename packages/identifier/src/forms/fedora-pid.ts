/**
 * Fedora PIDs (FED-01 to FED-09).
 *
 * pid           = namespace-id ":" object-id                                    at most 64 characters (FED-06)
 * namespace-id  = 1*( ALPHA / DIGIT / "-" / "." )                               FED-03
 * object-id     = 1*( ALPHA / DIGIT / "-" / "." / "~" / "_" / escaped-octet )   FED-04
 * escaped-octet = "%" HEXDIG HEXDIG                                             FED-05
 *
 * The separator may be escaped as %3A or %3a (FED-09). Normal form: separator ":", escapes in upper case (FED-08).
 * Escapes are never decoded and count as three characters; the length is that of the normal form. PIDs are
 * case-sensitive (FED-02).
 */
import { classesOf, UNRESERVED } from '../grammar/ascii.js';
import { brand } from '../brand.js';
import type { FedoraPid } from '../types.js';
import { escapeRepairs } from '../grammar/percent-encoding.js';
import { checkTexts } from '../options.js';
import { joinRepairs, NO_REPAIRS, repair } from '../repairs.js';
import { describe, fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';
import { isTriplet } from '../grammar/uri-syntax.js';

/** Maximum length of the normal form, in characters (FED-06). */
export const MAX_PID_LENGTH = 64;

const SEPARATOR_DECODED = /* @__PURE__ */ repair('SEPARATOR_DECODED');

/** Parses a PID (FED-02). */
export function parseFedoraPid(input: string): Result<FedoraPid> {
  return readFedoraPid(input, 0, input.length);
}

/** Parses the PID from `start` to `end` of a text. */
export function readFedoraPid(input: string, start: number, end: number): Result<FedoraPid> {
  let colon = start;
  while (colon < end && isNamespaceCharacter(input.charCodeAt(colon))) colon++;
  if (colon === end) return invalid(end, 'FED-02', 'expected ":" after the namespace');
  const written = separatorLength(input, colon, end);
  if (written === 0) {
    return invalid(
      colon,
      'FED-03',
      `a PID is namespace ":" object; found ${describe(input, colon)}, which a namespace cannot contain`,
    );
  }
  if (colon === start) return invalid(start, 'FED-03', 'the namespace before ":" is empty');
  const objectStart = colon + written;
  if (objectStart === end) return invalid(end, 'FED-04', 'the object identifier after ":" is empty');
  let escaped = false;
  for (let i = objectStart; i < end; i++) {
    const code = input.charCodeAt(i);
    if ((classesOf(code) & UNRESERVED) !== 0) continue;
    if (code !== 0x25 || i + 2 >= end || !isTriplet(input, i)) {
      return invalid(
        i,
        code === 0x25 ? 'FED-05' : 'FED-04',
        `an object identifier cannot contain ${describe(input, i)} here`,
      );
    }
    escaped = true;
    i += 2;
  }
  if (colon - start + 1 + end - objectStart > MAX_PID_LENGTH) {
    const namespace = colon - start;
    const at = namespace < MAX_PID_LENGTH ? objectStart + MAX_PID_LENGTH - 1 - namespace : start + MAX_PID_LENGTH;
    return fail('PID_TOO_LONG', at, 'FED-06', `a PID has at most ${MAX_PID_LENGTH} characters in its normal form`);
  }
  const object = input.slice(objectStart, end);
  const value = brand({
    type: 'fedora-pid',
    namespaceId: input.slice(start, colon),
    objectId: escaped ? object.replace(/%../g, (escape) => escape.toUpperCase()) : object,
  } as const);
  const separator = written === 1 ? NO_REPAIRS : SEPARATOR_DECODED;
  return ok(value, joinRepairs(separator, escaped ? escapeRepairs(input, objectStart, end, 0) : NO_REPAIRS));
}

/** The normal form of a PID. */
export function formatFedoraPid(pid: FedoraPid): string {
  return `${pid.namespaceId}:${pid.objectId}`;
}

/** Whether a value is a PID; false for a value that is not a string. */
export const isFedoraPid = (input: unknown): boolean => typeof input === 'string' && parseFedoraPid(input).ok;
/**
 * The PID of a text, or of its parts. The offset of a fault in parts refers to the text that they form.
 * @throws IdentifierSyntaxError, and a TypeError for a part that is not a string.
 */
export function toFedoraPid(input: string | Pick<FedoraPid, 'namespaceId' | 'objectId'>): FedoraPid {
  if (typeof input === 'string') return unwrap(parseFedoraPid(input));
  const { namespaceId, objectId } = input;
  checkTexts({ namespaceId, objectId });
  // Neither part can contain the separator, so a text that is valid has it between them.
  return unwrap(parseFedoraPid(`${namespaceId}:${objectId}`));
}

/** ALPHA, DIGIT, "-" or ".": unreserved without "_" and "~". */
function isNamespaceCharacter(code: number): boolean {
  return (classesOf(code) & UNRESERVED) !== 0 && code !== 0x5f && code !== 0x7e;
}

function separatorLength(input: string, at: number, end: number): 0 | 1 | 3 {
  if (input.charCodeAt(at) === 0x3a) return 1;
  const escape = at + 2 < end && input.startsWith('%3', at) && (input.charCodeAt(at + 2) | 0x20) === 0x61;
  return escape ? 3 : 0;
}

function invalid(offset: number, rule: string, detail: string): Failure {
  return fail('INVALID_PID', offset, rule, detail);
}
