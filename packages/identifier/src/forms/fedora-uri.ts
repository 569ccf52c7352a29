/**
 * Fedora object URIs (FED-12, FED-13).
 *
 * object-uri = "info:fedora/" pid
 *
 * There is no query and no fragment. The PID is normalized.
 */
import { formatFedoraPid, readFedoraPid } from './fedora-pid.js';
import { scanInfoUri } from '../grammar/info-scheme.js';
import type { FedoraPid } from '../types.js';
import { joinRepairs } from '../repairs.js';
import { fail, type Failure, ok, type Result, unwrap } from '../syntax-error.js';
import type { UriScan } from '../grammar/uri-syntax.js';

/** Parses an object URI; the value is its PID (FED-12). */
export function parseFedoraUri(input: string): Result<FedoraPid> {
  const info = scanInfoUri(input, 'fedora', 'FED-12');
  if (!info.ok) return info;
  const { start, scan } = info.value;
  const extra = fragmentFault(scan) ?? (scan.query < 0 ? null : queryFault(scan, 'an object URI has no query'));
  if (extra !== null) return extra;
  const pid = readFedoraPid(input, start, scan.pathEnd);
  return pid.ok ? ok(pid.value, joinRepairs(info.repairs, pid.repairs)) : pid;
}

/** The object URI of a PID. */
export function formatFedoraUri(pid: FedoraPid): string {
  return `info:fedora/${formatFedoraPid(pid)}`;
}

/** Whether a value is an object URI; false for a value that is not a string. */
export const isFedoraUri = (input: unknown): boolean => typeof input === 'string' && parseFedoraUri(input).ok;
/** The value of an object URI. @throws IdentifierSyntaxError. */
export const toFedoraUri = (input: string): FedoraPid => unwrap(parseFedoraUri(input));

export function fragmentFault(scan: UriScan): Failure | null {
  if (scan.fragment < 0) return null;
  return fail('INVALID_FRAGMENT', scan.fragment, 'R-30', 'an info:fedora URI has no fragment');
}

export function queryFault(scan: UriScan, detail: string): Failure {
  return fail('UNEXPECTED_QUERY', scan.query, 'FED-16', detail);
}
