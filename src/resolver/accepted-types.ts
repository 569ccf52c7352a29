import Negotiator from 'negotiator';
import { namedType } from '../http/headers/accept.js';
import { LINKSET } from '../registry/typed-links.js';

/** Whether a client asks for a link set, and prefers neither JSON nor a page. @param accept the header `Accept`. */
export function acceptsLinkset(accept: string | undefined): boolean {
  return namedType(accept, ['text/html', LINKSET]) === LINKSET;
}

/**
 * Whether a client asks for JSON and for neither `text/html` nor any type: browsers and tools without a preference get
 * pages.
 * @param accept the header `Accept` (RFC 9110 12.5.1).
 */
export function acceptsJson(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes();
  const isJson = (type: string): boolean => type === 'application/json' || type === 'application/problem+json';
  return accepted.some(isJson) && !accepted.includes('text/html') && !accepted.includes('*/*');
}
