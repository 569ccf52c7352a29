import { expect } from '@jest/globals';
import type { Answer } from './client.js';
import { query } from './database.js';
import type { SharedService, TestService } from './service.js';

/** The path of an identifier. */
export const pathOf = (identifier: string) => `/identifiers/${identifier}`;

/** Functions for tests of curation. */
export function curationOf(service: TestService | SharedService) {
  return {
    /** Mints, and returns the path and the entity tag. */
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
    /** The stored history of an identifier. */
    history: (identifier: string) =>
      query<{ version: number; kind: string; client: string; patch: unknown }>(
        service.database.url,
        `SELECT c.version, c.kind, c.client, c.patch::json AS patch FROM event c JOIN identifier i ON i.id = c.identifier_id
         WHERE (SELECT prefix FROM naming_authority n WHERE n.id = i.naming_authority_id) || '/' || upper(replace(i.guid::text, '-', '')) = $1 ORDER BY c.position, c.id`,
        [identifier],
      ),
  };
}
