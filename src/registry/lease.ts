import { requireFuture } from './timestamp.js';

/**
 * The rule about the end of a lease. It is checked when the identifier is built and not when the request is parsed, because
 * a replay returns the first result even after the lease has ended.
 * @param pointer the location of the lease in the command, a JSON Pointer (RFC 6901).
 * @throws Problem INVALID_REQUEST for a lease in the past.
 */
export function requireLease(leaseUntil: Date, pointer: string): void {
  requireFuture(leaseUntil, pointer);
}
