import { expect } from '@jest/globals';
import type { Answer } from './client.js';
import { query } from './database.js';
import type { TestService } from './service.js';

/** Where an identifier is served. */
export const pathOf = (identifier: string) => `/identifiers/${identifier}`;

/** What a test of curation does with a service. */
export function curationOf(service: TestService) {
  return {
    /** Mints, and gives the path and the entity tag to change the identifier with. */
    minted: async (fields: object = {}) => {
      const { status, body, headers } = await service.client.mint(fields);
      expect(status).toBe(201);
      return { identifier: body.identifier as string, path: pathOf(body.identifier), tag: headers.get('etag')!, body };
    },
    patch: (path: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
      const all = { 'content-type': 'application/json', 'if-match': '*', ...headers };
      return service.client.send('PATCH', path, all, JSON.stringify(body));
    },
    step: (path: string, name: string, body: unknown = {}, headers: Record<string, string> = {}) =>
      service.client.post(`${path}/${name}`, body, headers),
    /** The history of an identifier as the database has it. */
    history: (identifier: string) =>
      query<{ version: number; kind: string; client: string; patch: unknown }>(
        service.database.url,
        `SELECT c.version, c.kind, c.client, c.patch::json AS patch FROM change c JOIN identifier i ON i.id = c.identifier_id
         WHERE i.naming_authority || '/' || upper(replace(i.guid::text, '-', '')) = $1 ORDER BY c.position, c.id`,
        [identifier],
      ),
  };
}
