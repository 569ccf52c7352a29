import { Agent, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { freePort } from '../harness/free-port.js';
import { type TestServer, startServer } from '../harness/server.js';
import { ODD_NAMES } from './names/odd-names.js';

/** Naming authorities with any local names: one of the configured resolver, one with a first segment of its own. */
const [OWN, ELSEWHERE] = ['20.500', '20.600'];

const agent = new Agent({ keepAlive: true, maxSockets: 16 });

describe.each([
  ['without a first segment', '', 'archive'],
  ['with the first segment hdl', 'hdl', 'r%20s%2Ft'],
  ['with the first segment hé', 'h%C3%A9', 'a%3Ab'],
])('with RESOLVER_AUTHORITY of this service, %s', (_, firstSegment, ownSegment) => {
  let database: TestDatabase;
  let server: TestServer;
  let client: Client;
  let port: number;

  beforeAll(async () => {
    database = await createDatabase();
    port = await freePort();
    server = await startServer({
      DATABASE_URL: database.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102',
      PORT: String(port),
      RESOLVER_AUTHORITY: `127.0.0.1:${port}`,
      RESOLVER_FIRST_SEGMENT: firstSegment,
    });
    client = new Client(server.url);
    const resolver = { scheme: 'http', authority: `127.0.0.1:${port}`, firstSegment: ownSegment };
    for (const fields of [
      { namingAuthority: '20' },
      { namingAuthority: OWN, profile: 'handle' },
      { namingAuthority: ELSEWHERE, profile: 'handle', resolver },
    ]) {
      expect((await client.post('/naming-authorities', fields)).status).toBe(201);
    }
  });
  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  /** Sends the bytes of a path: `fetch` would change it. */
  const locationAt = (path: string): Promise<string> =>
    new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port, path, agent }, (answer) => {
        answer.resume();
        resolve(answer.statusCode === 302 ? (answer.headers.location ?? '') : `${answer.statusCode ?? 0}`);
      })
        .on('error', reject)
        .end();
    });

  /** The paths at this service to which each URI of a representation leads. */
  const pathsOf = (uris: Record<string, string | null>): string[] =>
    Object.values(uris).flatMap((uri) => {
      if (uri === null) return [];
      if (!uri.startsWith('http:')) return [`/${uri}`, `/${encodeURIComponent(uri)}`];
      const own = `http://127.0.0.1:${port}`;
      expect(uri.slice(0, own.length)).toBe(own);
      return [uri.slice(own.length), `/${uri}`, `/http://hdl.handle.net/${uri.split('/').slice(-2).join('/')}`];
    });

  const expectAllAt = async (paths: Iterable<string>, target: string) => {
    const found = await Promise.all([...paths].map(async (path) => [path, await locationAt(path)]));
    expect(found).toEqual(Array.from(paths, (path) => [path, target]));
  };

  /** A look-up of the URLs of paths finds what the paths lead to, except where clients remove dot segments (RFC 3986 5.2.4). */
  const expectAllFound = async (paths: Iterable<string>, identifier: string) => {
    const items = [...paths]
      .filter((path) => !/\/\.{1,2}(?:\/|$)/.test(path))
      .map((path) => `http://127.0.0.1:${port}${path}`);
    const { body } = await client.post('/identifiers/lookup', { items });
    const found = body.items.map((result: any) => [result.input, result.identifier]);
    expect(found).toEqual(items.map((item) => [item, identifier]));
  };

  it.each([OWN, ELSEWHERE])(
    'each URI of each odd name under %s redirects to its target, and a look-up of it finds the name',
    async (namingAuthority) => {
      const items = ODD_NAMES.map((localName, index) => ({ localName, target: `https://t.example/${index}` }));
      const { status, body } = await client.post('/identifiers/batch', { namingAuthority, items });
      const rejected = body.items.filter((result: any) => result.status !== 201);
      expect([status, rejected]).toEqual([200, []]);
      for (const [index, { record }] of body.items.entries()) {
        const paths = new Set(pathsOf(record.uris));
        expect([record.localName, paths.size > 3]).toEqual([record.localName, true]);
        await expectAllAt(paths, `https://t.example/${index}`);
        await expectAllFound(paths, record.identifier);
      }
    },
  );

  it('each URI of a CORDRA identifier redirects to its target, also with a query and a fragment (R-24)', async () => {
    const target = 'https://t.example/cordra';
    const { body } = await client.mint({ target });
    const paths = pathsOf(body.uris).flatMap((path) => [path, path.toLowerCase(), `${path}%3Fx%23y`]);
    expect(paths.length).toBeGreaterThan(20);
    await expectAllAt(paths, target);
    await expectAllFound(paths, body.identifier);
  });

  it('a naming authority cannot have the name of the first segment', async () => {
    const namingAuthority = decodeURIComponent(firstSegment) || 'identifiers';
    const { status, body } = await client.post('/naming-authorities', { namingAuthority, profile: 'handle' });
    expect([status, body.code]).toEqual([422, 'RESERVED_NAMING_AUTHORITY']);
  });
});
