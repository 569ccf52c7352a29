import { parse } from 'lossless-json';
import { Problem } from '../problem/problem.js';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads a request body as JSON, more strictly than `JSON.parse`: a key that stands twice with two values or a whole
 * number past 2^53 would be changed silently there, and here they are refused, as are octets that are not UTF-8
 * (RFC 8259 4, 6, 8.1) and the keys `__proto__` and `constructor`,
 * which later steps would drop without a word.
 * @throws Problem MALFORMED_JSON
 */
export function readJsonBody(octets: Uint8Array): unknown {
  if (octets.length === 0) return undefined;
  try {
    const text = utf8.decode(octets);
    return parse(text, /__|constr/.test(text) ? refuseInternals : null, {
      parseNumber: exactNumber,
      onDuplicateKey: ({ key }) => {
        throw new SyntaxError(`the key "${key}" stands twice in one object, with two values`);
      },
    });
  } catch (error) {
    throw new Problem('MALFORMED_JSON', `The body cannot be read: ${explain(error)}.`);
  }
}

function refuseInternals(key: string, value: unknown): unknown {
  if (key === '__proto__' || key === 'constructor') throw new SyntaxError(`"${key}" is no key of any request`);
  return value;
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
