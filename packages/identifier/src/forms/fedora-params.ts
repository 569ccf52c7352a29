/**
 * The parameters of a Fedora method call (FED-16, FED-17, FED-19 to FED-21).
 *
 * params = param *( "&" param )      param = name "=" value
 * name   = 1*query-character without "&" and "="      value = *query-character without "&"
 *
 * Normal form: escapes of unreserved characters decoded, other escapes in upper case, and the parameters sorted
 * by their decoded names and then by their decoded values, as UTF-8 bytes. The sort is stable and keeps duplicates;
 * ";" is not a separator.
 */
import { UNRESERVED } from '../grammar/ascii.js';
import type { FedoraParam } from '../types.js';
import { decode, escapeRepairs, normalizeEscapes } from '../grammar/percent-encoding.js';
import { joinRepairs, NO_REPAIRS, repair } from '../repairs.js';
import { utf8Fault } from './segments.js';
import { fail, type Failure, ok, type Result } from '../syntax-error.js';

const PARAMS_SORTED = /* @__PURE__ */ repair('PARAMS_SORTED');

/** Parses the parameters from `start`, after the "?", to the end. Characters and escapes were validated before. */
export function readParams(input: string, start: number): Result<readonly FedoraParam[]> {
  const escaped = input.includes('%', start);
  const params: FedoraParam[] = [];
  let at = start;
  let sorted = true;
  for (;;) {
    const ampersand = input.indexOf('&', at);
    const end = ampersand < 0 ? input.length : ampersand;
    const param = readParam(input, at, end, escaped);
    if ('ok' in param) return param;
    const last = params.at(-1);
    if (last !== undefined && compareParams(last, param) > 0) sorted = false;
    params.push(param);
    if (ampersand < 0) break;
    at = ampersand + 1;
  }
  const escapes = escaped ? escapeRepairs(input, start, input.length, UNRESERVED) : NO_REPAIRS;
  if (!sorted) params.sort(compareParams);
  return ok(Object.freeze(params), sorted ? escapes : joinRepairs(escapes, PARAMS_SORTED));
}

/** The parameters with a leading "?"; empty when there are none. */
export function formatParams(params: readonly Pick<FedoraParam, 'text'>[]): string {
  return params.length === 0 ? '' : `?${params.map((param) => param.text).join('&')}`;
}

/** Compares the UTF-8 bytes of two texts: negative, 0 or positive. */
export function compareUtf8(a: string, b: string): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  let i = 0;
  while (i < shorter && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  if (i === shorter) return a.length - b.length;
  return utf8Rank(a.charCodeAt(i)) - utf8Rank(b.charCodeAt(i));
}

/** The rank of a code unit in UTF-8. Surrogates encode the highest code points, but in UTF-16 they sort before U+E000. */
function utf8Rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function compareParams(a: FedoraParam, b: FedoraParam): number {
  return compareUtf8(a.name, b.name) || compareUtf8(a.value, b.value);
}

function readParam(input: string, start: number, end: number, escaped: boolean): FedoraParam | Failure {
  const equals = input.indexOf('=', start);
  if (equals < 0 || equals >= end) {
    return fail('INVALID_PARAM', end, 'FED-16', 'a parameter is name=value; found no "="');
  }
  if (equals === start) return fail('INVALID_PARAM', start, 'FED-16', 'the name of a parameter is empty');
  if (!escaped) {
    const text = input.slice(start, end);
    return Object.freeze({ name: input.slice(start, equals), value: input.slice(equals + 1, end), text });
  }
  const name = decode(input, start, equals);
  if (typeof name === 'number') return utf8Fault(name);
  const value = decode(input, equals + 1, end);
  if (typeof value === 'number') return utf8Fault(value);
  return Object.freeze({ name, value, text: normalizeEscapes(input, start, end) });
}
