/**
 * The common part of the namespaces of the info scheme (RFC 4452).
 *
 * info-URI = "info:" namespace "/" *( pchar / "/" ) [ "#" fragment ]
 *
 * Scheme and namespace are case-insensitive and written in lower case. The namespace defines the rest; the
 * namespace `fedora` adds a query for method calls.
 */
import { hasAt } from './ascii.js';
import { joinRepairs, repair, type Repairs } from '../repairs.js';
import { excerpt, fail, ok, type Result } from '../syntax-error.js';
import { schemeFault, schemeRepairs, scanUri, type UriScan } from './uri-syntax.js';

const NAMESPACE_LOWERCASED = /* @__PURE__ */ repair('NAMESPACE_LOWERCASED');

export interface InfoScan {
  /** The index after the "/" that ends the namespace. */
  readonly start: number;
  readonly scan: UriScan;
}

/** Parses `info:namespace/` and locates the components after it. */
export function scanInfoUri(input: string, namespace: 'hdl' | 'fedora', rule: string): Result<InfoScan> {
  const scheme = schemeFault(input, 'info', rule);
  if (scheme !== null) return scheme;
  const start = 6 + namespace.length;
  if (!hasAt(input, namespace, 5) || input.charCodeAt(start - 1) !== 0x2f) {
    const slash = input.indexOf('/');
    const found = excerpt(input.slice(5, slash < 0 ? input.length : slash));
    return fail('WRONG_NAMESPACE', 5, rule, `expected "info:${namespace}/", found the namespace "${found}"`);
  }
  const scan = scanUri(input, start);
  if (!scan.ok) return scan;
  let repairs: Repairs = schemeRepairs(input, 'info');
  if (!input.startsWith(namespace, 5)) repairs = joinRepairs(repairs, NAMESPACE_LOWERCASED);
  return ok({ start, scan }, repairs);
}
