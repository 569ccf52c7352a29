import { invalidRequest } from '../../problem/problem.js';

/** @throws Problem INVALID_REQUEST for a body with members, which would be ignored. */
export function requireNoBody(body: unknown): void {
  if (body === undefined || body === null || (typeof body === 'object' && Object.keys(body).length === 0)) return;
  throw invalidRequest('', 'expected no body, or {}', 'This request must not have a body.');
}
