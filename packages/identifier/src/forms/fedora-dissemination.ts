/**
 * Fedora dissemination URIs (FED-14 to FED-21).
 *
 * datastream  = "info:fedora/" pid "/" datastream-id                              FED-14
 * method-call = "info:fedora/" pid "/" sdef-pid "/" method-name [ "?" params ]    FED-15, FED-16
 *
 * datastream-id = NCName, at most 64 characters (FED-10, FED-11)      method-name = NCName
 *
 * Characters of an NCName beyond ASCII are escaped as UTF-8 (FED-17). Normal form: both PIDs normalized and never
 * decoded (FED-18, R-16), unnecessary escapes elsewhere decoded (FED-19), other escapes in upper case (FED-20),
 * parameters sorted (FED-21). A datastream has no parameters, and neither form has a fragment.
 */
import { UNRESERVED } from '../grammar/ascii.js';
import { formatParams, readParams } from './fedora-params.js';
import { formatFedoraPid, readFedoraPid } from './fedora-pid.js';
import { formatFedoraUri, fragmentFault, queryFault } from './fedora-uri.js';
import { scanInfoUri } from '../grammar/info-scheme.js';
import { brand } from '../brand.js';
import type { FedoraDatastream, FedoraDissemination, FedoraMethodCall, FedoraParam, FedoraPid } from '../types.js';
import { characterCount, findNotNCName } from '../grammar/nc-name.js';
import { decode, encode, escapeRepairs, rawOffset } from '../grammar/percent-encoding.js';
import { checkTexts } from '../options.js';
import { joinRepairs, NO_REPAIRS, type Repairs } from '../repairs.js';
import { utf8Fault } from './segments.js';
import { describe, fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';
import type { UriScan } from '../grammar/uri-syntax.js';

/** Maximum length after decoding, in characters (FED-11). */
export const MAX_DATASTREAM_ID_LENGTH = 64;

/** The decoded parts of a datastream or a method call. A parameter can also have its `text`, as in the URI. */
export type FedoraDisseminationParts =
  | Pick<FedoraDatastream, 'pid' | 'datastreamId'>
  | (Pick<FedoraMethodCall, 'pid' | 'sDefPid' | 'methodName'> & {
      readonly params?: readonly (Pick<FedoraParam, 'name' | 'value'> & Partial<FedoraParam>)[] | undefined;
    });

const NO_PARAMS: readonly FedoraParam[] = /* @__PURE__ */ Object.freeze([]);

/** Parses a dissemination URI (FED-14, FED-15). */
export function parseFedoraDissemination(input: string): Result<FedoraDissemination> {
  const info = scanInfoUri(input, 'fedora', 'FED-14');
  if (!info.ok) return info;
  const { start, scan } = info.value;
  const fragment = fragmentFault(scan);
  if (fragment !== null) return fragment;
  if (scan.slash < 0) return countFault(scan.pathEnd);
  const third = scan.secondSlash < 0 ? -1 : input.indexOf('/', scan.secondSlash + 1);
  if (third >= 0 && third < scan.pathEnd) return countFault(third);
  if (scan.secondSlash < 0 && scan.query >= 0) return queryFault(scan, 'only a method call has parameters');
  const pid = readFedoraPid(input, start, scan.slash);
  if (!pid.ok) return pid;
  const repairs = joinRepairs(info.repairs, pid.repairs);
  return scan.secondSlash < 0
    ? readDatastream(input, scan, pid.value, repairs)
    : readMethodCall(input, scan, pid.value, repairs);
}

/** The normal form of a dissemination URI. */
export function formatFedoraDissemination(dissemination: FedoraDissemination): string {
  const object = formatFedoraUri(dissemination.pid);
  if (dissemination.shape === 'datastream') return `${object}/${encode(dissemination.datastreamId, UNRESERVED)}`;
  const { sDefPid, methodName, params } = dissemination;
  return `${object}/${formatFedoraPid(sDefPid)}/${encode(methodName, UNRESERVED)}${formatParams(params)}`;
}

/** Whether a value is a dissemination URI; false for a value that is not a string. */
export const isFedoraDissemination = (input: unknown): boolean =>
  typeof input === 'string' && parseFedoraDissemination(input).ok;
/**
 * The datastream or method call of a URI, or of its parts. The offset of a fault in parts refers to the URI that they form.
 * @throws IdentifierSyntaxError, and a TypeError for a part that is not a string.
 */
export const toFedoraDissemination = (input: string | FedoraDisseminationParts): FedoraDissemination =>
  unwrap(parseFedoraDissemination(typeof input === 'string' ? input : uriOf(input)));

function uriOf(parts: FedoraDisseminationParts): string {
  const object = formatFedoraUri(parts.pid);
  if ('datastreamId' in parts) {
    checkTexts({ datastreamId: parts.datastreamId });
    return `${object}/${encode(parts.datastreamId, UNRESERVED)}`;
  }
  const { sDefPid, methodName, params = [] } = parts;
  checkTexts({ methodName });
  const written = params.map(({ name, value, text }) => {
    checkTexts({ name, value });
    return { text: text ?? `${encode(name, UNRESERVED)}=${encode(value, UNRESERVED)}` };
  });
  return `${object}/${formatFedoraPid(sDefPid)}/${encode(methodName, UNRESERVED)}${formatParams(written)}`;
}

function readDatastream(input: string, scan: UriScan, pid: FedoraPid, repairs: Repairs): Result<FedoraDissemination> {
  const start = scan.slash + 1;
  const id = readNCName(input, start, scan.pathEnd, 'INVALID_DATASTREAM_ID', 'datastream ID');
  if (!id.ok) return id;
  if (characterCount(id.value) > MAX_DATASTREAM_ID_LENGTH) {
    const detail = `a datastream ID has at most ${MAX_DATASTREAM_ID_LENGTH} characters`;
    return fail('INVALID_DATASTREAM_ID', scan.pathEnd, 'FED-11', detail);
  }
  const value = { type: 'fedora-dissemination', shape: 'datastream', pid, datastreamId: id.value } as const;
  return ok(brand(value), joinRepairs(repairs, id.repairs));
}

function readMethodCall(input: string, scan: UriScan, pid: FedoraPid, repairs: Repairs): Result<FedoraDissemination> {
  const sDef = readFedoraPid(input, scan.slash + 1, scan.secondSlash);
  if (!sDef.ok) return sDef;
  const method = readNCName(input, scan.secondSlash + 1, scan.pathEnd, 'INVALID_METHOD_NAME', 'method name');
  if (!method.ok) return method;
  const params = scan.query < 0 ? ok(NO_PARAMS, NO_REPAIRS) : readParams(input, scan.query + 1);
  if (!params.ok) return params;
  const value = {
    type: 'fedora-dissemination',
    shape: 'method-call',
    pid,
    sDefPid: sDef.value,
    methodName: method.value,
    params: params.value,
  } as const;
  return ok(brand(value), joinRepairs(joinRepairs(joinRepairs(repairs, sDef.repairs), method.repairs), params.repairs));
}

function readNCName(
  input: string,
  start: number,
  end: number,
  code: 'INVALID_DATASTREAM_ID' | 'INVALID_METHOD_NAME',
  what: string,
): Result<string> {
  const text = decode(input, start, end);
  if (typeof text === 'number') return utf8Fault(text);
  const bad = findNotNCName(text);
  if (bad < 0) return ok(text, escapeRepairs(input, start, end, UNRESERVED));
  const where = bad === 0 ? 'start with' : 'hold';
  const detail =
    text === '' ? `the ${what} is empty` : `a ${what} is an NCName, which cannot ${where} ${describe(text, bad)}`;
  return fail(code, rawOffset(input, start, bad), 'FED-10', detail);
}

function countFault(at: number): Failure {
  return fail('SEGMENT_COUNT', at, 'FED-14', 'expected pid/datastream-id or pid/sdef-pid/method-name');
}
