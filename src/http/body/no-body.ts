import { invalidRequest } from '../../problem/problem.js';

/**
 * For a request that has no body.
 * @throws Problem INVALID_REQUEST for a body with members, which would otherwise be ignored silently.
 */
export function requireNoBody(body: unknown): void {
  if (body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)) return;
  throw invalidRequest('', 'expected no body, or {}', 'This request must not have a body.');
}
