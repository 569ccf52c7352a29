/**
 * The parameters of a Fedora method call (FED-16, FED-17, FED-19 to FED-21).
 *
 *   params = param *( "&" param )      param = name "=" value
 *   name   = 1*query-character without "&" and "="      value = *query-character without "&"
 *
 * Normal form: escapes that hide unreserved characters decoded, the others in capitals, and the parameters in the
 * order of their decoded names, then of their decoded values, as UTF-8 octets. The sort is stable and keeps duplicates;
 * ";" does not separate.
 */
import { UNRESERVED } from '../grammar/ascii.js';
import type { FedoraParam } from '../types.js';
import { decode, escapeRepairs, normalizeEscapes } from '../grammar/percent-encoding.js';
import { NO_REPAIRS, repair } from '../repairs.js';
import { utf8Fault } from './segments.js';
import { fail, type Failure, ok, type Result } from '../syntax-error.js';

const PARAMS_SORTED = repair('PARAMS_SORTED');

/** Reads the parameters from `start`, behind the "?", to the end; their characters and triplets are judged already. */
export function readParams(input: string, start: number): Result<readonly FedoraParam[]> {
  const escaped = input.includes('%', start);
  const compare = escaped ? compareParams : compareAsciiParams;
  const params: FedoraParam[] = [];
  let at = start;
  let sorted = true;
  for (;;) {
    const ampersand = input.indexOf('&', at);
    const end = ampersand < 0 ? input.length : ampersand;
    const param = readParam(input, at, end, escaped);
    if ('ok' in param) return param;
    const last = params.at(-1);
    if (last !== undefined && compare(last, param) > 0) sorted = false;
    params.push(param);
    if (ampersand < 0) break;
    at = ampersand + 1;
  }
  const escapes = escaped ? escapeRepairs(input, start, input.length, UNRESERVED) : NO_REPAIRS;
  return sorted ? ok(params, escapes) : ok(params.sort(compare), escapes | PARAMS_SORTED);
}

/** The parameters as they stand behind a method name, with "?"; nothing when there are none. */
export function formatParams(params: readonly FedoraParam[]): string {
  return params.length === 0 ? '' : `?${params.map((param) => param.text).join('&')}`;
}

/** Less than, equal to or more than 0 as the UTF-8 octets of `a` come before, with or after those of `b`. */
export function compareUtf8(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shorter) return a.length - b.length;
  return utf8Rank(a.charCodeAt(i)) - utf8Rank(b.charCodeAt(i));
}

/** UTF-8 sorts by code point; surrogates, which stand for the highest ones, come before U+E000 in UTF-16. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareParams(a: FedoraParam, b: FedoraParam): number {
  return compareUtf8(a.name, b.name) || compareUtf8(a.value, b.value);
}

/** Where nothing is escaped all is ASCII, whose order is the engine's own. */
function compareAsciiParams(a: FedoraParam, b: FedoraParam): number {
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.value !== b.value) return a.value < b.value ? -1 : 1;
  return 0;
}

function readParam(input: string, start: number, end: number, escaped: boolean): FedoraParam | Failure {
  const equals = input.indexOf('=', start);
  if (equals < 0 || equals >= end) {
    return fail('INVALID_PARAM', end, 'FED-16', 'a parameter is name=value; found no "="');
  }
  if (equals === start) return fail('INVALID_PARAM', start, 'FED-16', 'the name of a parameter is empty');
  if (!escaped) {
    return { name: input.slice(start, equals), value: input.slice(equals + 1, end), text: input.slice(start, end) };
  }
  const name = decode(input, start, equals);
  if (typeof name === 'number') return utf8Fault(name);
  const value = decode(input, equals + 1, end);
  if (typeof value === 'number') return utf8Fault(value);
  return { name, value, text: normalizeEscapes(input, start, end) };
}
