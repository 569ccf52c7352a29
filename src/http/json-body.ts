import { parse } from 'lossless-json';
import { Problem } from '../problem/problem.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Requests of this service nest five deep; what walks a body later does so by recursion. */
const MAX_DEPTH = 32;

/** Members that every object has: a request's own would be mistaken for them, or dropped without a word. */
const RESERVED = new Set([...Object.getOwnPropertyNames(Object.prototype), 'prototype']);

/**
 * Reads a request body as JSON, more strictly than `JSON.parse`: a key that stands twice with two values or a whole
 * number past 2^53 would be changed silently there, and here they are refused, as are octets that are not UTF-8
 * (RFC 8259 4, 6, 8.1), nesting without end, and keys such as `__proto__`.
 * @throws Problem MALFORMED_JSON
 */
export function readJsonBody(octets: Uint8Array): unknown {
  if (octets.length === 0) return undefined;
  try {
    const text = utf8.decode(octets);
    const body =
      readPlain(text) ??
      parse(text, null, {
        parseNumber: exactNumber,
        onDuplicateKey: ({ key }) => {
          throw new SyntaxError(`the key "${key}" stands twice in one object, with two values`);
        },
      });
    requireOrdinary(body, MAX_DEPTH);
    return body;
  } catch (error) {
    throw new Problem('MALFORMED_JSON', `The body cannot be read: ${explain(error)}.`);
  }
}

/**
 * Reads what the platform's parser reads and writes back as it stood: nothing was lost then, and this takes a tenth of the
 * time.
 * @returns undefined for everything else.
 */
function readPlain(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text && hasExactNumbers(value, MAX_DEPTH) ? value : undefined;
  } catch {
    return undefined;
  }
}

function hasExactNumbers(value: unknown, depth: number): boolean {
  if (typeof value === 'number') return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((member) => hasExactNumbers(member, depth - 1));
}

/** Whether a name cannot be that of a member or a parameter. */
export function isReservedName(name: string): boolean {
  return RESERVED.has(name);
}

function requireOrdinary(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === 0) throw new RangeError();
  for (const key of Object.keys(value)) {
    if (RESERVED.has(key)) throw new SyntaxError(`"${key}" is no key of any request`);
    requireOrdinary((value as Record<string, unknown>)[key], depth - 1);
  }
}

function exactNumber(digits: string): number {
  const value = Number(digits);
  if (Number.isSafeInteger(value) || (Number.isFinite(value) && !Number.isInteger(value))) return value;
  throw new SyntaxError(`the number ${digits.slice(0, 40)} is too large to be kept exactly`);
}

function explain(error: unknown): string {
  if (error instanceof RangeError) return 'it is nested too deeply';
  if (error instanceof SyntaxError) return error.message;
  return 'it is not UTF-8';
}
