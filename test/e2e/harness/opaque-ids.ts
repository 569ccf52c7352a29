import { beforeAll, expect } from '@jest/globals';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import type { Answer } from './client.js';
import { type TestService, useService } from './service.js';

/** A service with keys and every interface. */
export const SETTINGS = {
  ACCESS: 'keys',
  ADMIN_API_KEY: ADMIN_KEY,
  NAMING_AUTHORITIES: '100.102',
  INTERFACES: 'api,resolver,handles',
};
/** A naming authority whose metadata IDs are opaque; `Any2` is another one. */
export const ANY = 'Any';

/** Metadata IDs as repositories have them. */
export const REAL_LIFE: readonly (readonly [kind: string, id: string])[] = [
  ['an OAI identifier', 'oai:repo.org:123/4'],
  ['an OAI identifier of a repository with a port in its name', 'oai:arXiv.org:hep-th/9901001'],
  ['a URL', 'https://repo.example.org/records/7?a=1&b=%20#top'],
  ['a URL with a final slash', 'https://repo.example.org/records/8/'],
  ['a UUID', '6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['a UUID as 32 digits', '6ba7b8109dad11d180b400c04fd430c9'],
  ['a URN', 'urn:nbn:de:101:1-201102033592'],
  ['an ARK', 'ark:/12148/btv1b8449691v'],
  ['a DOI', '10.5281/zenodo.1234'],
  ['a local number', '4711'],
  ['the word none', 'none'],
  ['the same with leading zeros', '0004711'],
  ['a call number with spaces', 'Ms. germ. fol. 1062,  2 r'],
  ['spaces around it', ' 4711 '],
  ['letters outside ASCII', 'Sammlung/Äpfel und Birnen №5'],
  ['the same letters composed in another way', 'Sammlung/A\u0308pfel und Birnen №5'],
  ['a formula', '=HYPERLINK("http://evil.example","x")'],
  ['a sign', '-1;+2'],
  ['quotation marks and an apostrophe', `'"a"'`],
  ['markup', '<script>alert("1")</script>'],
  ['a script as URL', 'javascript:alert(1)'],
  ['no UTF-16 code unit of its own', 'record 𝄞'],
  ['the longest', 'é'.repeat(1024)],
  ['wildcards', '100%_*\\'],
  ['a question mark', 'a?b'],
  ['the same with another rest', 'a?c'],
  ['another case', 'A?c'],
  ['a single character', '7'],
];

export const REJECTED: readonly (readonly [kind: string, id: unknown])[] = [
  ['an empty text', ''],
  ['U+0000', 'a\0b'],
  ['a tab', 'a\tb'],
  ['a line break', 'a\n'],
  ['DEL', 'a\x7f'],
  ['a C1 control', 'a\x85b'],
  ['half a surrogate pair', 'a\ud800'],
  ['2,049 bytes', `${'é'.repeat(1024)}a`],
  ['a number', 4711],
  ['an object', {}],
];

export const pathOf = ({ body }: Answer) => `/identifiers/${encodeURIComponent(body.identifier)}`;

/** The operations of a service under `ANY`, which has an identifier for each of `REAL_LIFE`. */
export function useOpaqueIds() {
  const service: TestService = useService(SETTINGS);
  const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    service.client.post(path, body, { ...ADMIN, ...headers });
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.client.get(path, { ...ADMIN, ...headers });
  const mint = (fields: object, headers: Record<string, string> = {}) =>
    post('/identifiers', { namingAuthority: ANY, ...fields }, headers);
  const patch = (path: string, fields: unknown, headers: Record<string, string> = {}) =>
    service.client.send(
      'PATCH',
      path,
      { ...ADMIN, 'content-type': 'application/merge-patch+json', 'if-match': '*', ...headers },
      JSON.stringify(fields),
    );
  const listed = async (metadataId: string, more = '') => {
    const { status, body } = await get(`/identifiers?metadataId=${encodeURIComponent(metadataId)}${more}`);
    expect([metadataId, status]).toEqual([metadataId, 200]);
    return body.items.map(({ identifier }: any) => identifier);
  };
  const lookedUp = async (...inputs: string[]) => (await post('/identifiers/lookup', { items: inputs })).body.items;
  const htmlOf = async (identifier: string, path = '/identifiers/') =>
    (await fetch(`${service.server.url}${path}${identifier}`, { headers: { ...ADMIN, accept: 'text/html' } })).text();

  /** The identifier of each metadata ID of the table. */
  const minted = new Map<string, string>();

  beforeAll(async () => {
    for (const namingAuthority of [ANY, 'Any2']) {
      const settings = { namingAuthority, profile: 'handle', storesHandleValues: true, metadataIdScheme: 'any' };
      const { status, body } = await post('/naming-authorities', settings);
      expect([status, body.metadataIdScheme]).toEqual([201, 'any']);
    }
    for (const [, metadataId] of REAL_LIFE) {
      const { status, body } = await mint({ metadataId });
      expect([metadataId, status, body.metadataId]).toEqual([metadataId, 201, metadataId]);
      minted.set(metadataId, body.identifier);
    }
  });
  return { service, get, htmlOf, listed, lookedUp, mint, minted, patch, post };
}
