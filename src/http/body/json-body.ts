import { parse } from 'lossless-json';
import { Problem } from '../../problem/problem.js';
import { countMembers } from './json-bounds.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

export const RESERVED_NAMES: ReadonlySet<string> = new Set([
  ...Object.getOwnPropertyNames(Object.prototype),
  'prototype',
]);

/** Maximum length of a body that is parsed a second time to describe its fault, in UTF-16 code units. */
const MAX_EXPLAINED = 65_536;

/**
 * Parses JSON more strictly than `JSON.parse`: rejects duplicate keys, integers beyond 2^53 - 1, bytes that are not UTF-8 (RFC 8259 8.1),
 * keys such as `__proto__`, and bodies beyond the limits of `json-bounds.ts`.
 * @throws Problem MALFORMED_JSON
 */
export function readJsonBody(bytes: Uint8Array): unknown {
  if (bytes.length === 0) return undefined;
  try {
    const stated = countMembers(bytes);
    const text = utf8.decode(bytes);
    const { value, fault } = readText(text, stated);
    if (fault === null) return value;
    throw text.length <= MAX_EXPLAINED ? exactFault(text, fault) : fault;
  } catch (error) {
    throw new Problem('MALFORMED_JSON', `The body cannot be read: ${explain(error)}.`);
  }
}

/** @param stated the number of members in the text. If the value has fewer, the text has duplicate keys. */
function readText(text: string, stated: number): { value: unknown; fault: SyntaxError | null } {
  try {
    const value: unknown = JSON.parse(text);
    const isComplete = membersOf(value) === stated;
    return { value, fault: isComplete ? null : new SyntaxError('an object contains a duplicate key') };
  } catch (fault) {
    return { value: undefined, fault: fault as SyntaxError };
  }
}

function membersOf(value: unknown): number {
  if (typeof value === 'number') requireExact(value, String(value));
  if (typeof value !== 'object' || value === null) return 0;
  let members = 0;
  if (Array.isArray(value)) {
    for (const item of value) members += membersOf(item);
    return members;
  }
  for (const key of Object.keys(value)) {
    if (RESERVED_NAMES.has(key)) throw new SyntaxError(`the key "${key}" is not permitted`);
    members += 1 + membersOf((value as Record<string, unknown>)[key]);
  }
  return members;
}

function requireExact(value: number, digits: string): void {
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return;
  throw new SyntaxError(`the number ${digits.slice(0, 40)} is too large to be represented exactly`);
}

function exactFault(text: string, fault: SyntaxError): SyntaxError {
  try {
    parse(text, null, {
      parseNumber: (digits) => {
        const value = Number(digits);
        requireExact(value, digits);
        return value;
      },
      onDuplicateKey: ({ key }) => {
        throw new SyntaxError(`the key "${key}" occurs twice in one object, with different values`);
      },
    });
    return fault;
  } catch (exact) {
    return exact as SyntaxError;
  }
}

function explain(error: unknown): string {
  return error instanceof SyntaxError ? error.message : 'it is not UTF-8';
}
