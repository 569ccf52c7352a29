import { expect } from '@jest/globals';
import type { TestService } from './service.js';

/** A count of zero. */
export const NONE = { value: 0, isExact: true };

let last = 20000;
/** A new prefix. */
export const freshPrefix = () => String(++last);

/** Functions for tests of naming authorities. */
export function authoritiesOf(service: TestService) {
  const create = (fields: object, headers: Record<string, string> = {}) =>
    service.client.post('/naming-authorities', fields, headers);
  return {
    create,
    patch: (prefix: string, fields: unknown, headers: Record<string, string> = { 'if-match': '*' }) =>
      service.client.send(
        'PATCH',
        `/naming-authorities/${encodeURIComponent(prefix)}`,
        { 'content-type': 'application/json', ...headers },
        JSON.stringify(fields),
      ),
    show: (prefix: string) => service.client.get(`/naming-authorities/${encodeURIComponent(prefix)}`),
    created: async (fields: object = {}): Promise<string> => {
      const prefix = freshPrefix();
      expect((await create({ namingAuthority: prefix, ...fields })).status).toBe(201);
      return prefix;
    },
  };
}
