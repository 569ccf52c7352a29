import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { type TestServer, startServer } from '../harness/server.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);

let database: TestDatabase;
const servers: TestServer[] = [];
let path: string;
let keys: { reader: Record<string, string>; minter: Record<string, string> };

async function start(variables: Record<string, string> = {}): Promise<Client> {
  const server = await startServer({
    DATABASE_URL: database.url,
    NAMING_AUTHORITIES: '100.102',
    ...{ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY },
    ...variables,
  });
  servers.push(server);
  return new Client(server.url);
}

/** What of the history the page and the links of a record show. */
async function shown({ base }: Client, headers: Record<string, string> = {}): Promise<string> {
  const page = await fetch(base + path, { headers: { ...headers, accept: 'text/html' } });
  const text = await page.text();
  if (page.status !== 200) return String(page.status);
  const hasHistory = text.includes('<h2 id="history">');
  expect([(page.headers.get('link') ?? '').includes('rel="version-history"'), text.includes('/history"')]).toEqual([
    hasHistory,
    hasHistory,
  ]);
  if (!hasHistory) return 'none';
  return text.includes('<bdi>library</bdi>') ? 'clients' : 'changes';
}

beforeAll(async () => {
  database = await createDatabase();
  const client = await start();
  const create = async (name: string, scopes: string[]) =>
    bearer((await client.post('/api-keys', { client: name, scopes }, ADMIN)).body.secret);
  keys = { minter: await create('library', ['mint']), reader: await create('reader', ['read']) };
  path = `/identifiers/${(await client.mint({}, keys.minter)).body.identifier as string}`;
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

describe('the history on the page of a record', () => {
  it('PUBLIC_HISTORY=anonymous: changes for everybody, clients for requests with a key', async () => {
    const client = new Client(servers[0]!.url);
    expect(await shown(client)).toBe('changes');
    expect(await shown(client, keys.minter)).toBe('clients');
    expect(await shown(client, ADMIN)).toBe('clients');
  });

  it('PUBLIC_HISTORY=full: clients for everybody', async () => {
    expect(await shown(await start({ PUBLIC_HISTORY: 'full' }))).toBe('clients');
  });

  it('PUBLIC_HISTORY=none: nothing without a key, nor with a key that may not read; the rest of the page', async () => {
    const client = await start({ PUBLIC_HISTORY: 'none' });
    expect(await shown(client)).toBe('none');
    expect(await shown(client, keys.minter)).toBe('none');
    expect(await shown(client, keys.reader)).toBe('clients');
    expect(await shown(client, ADMIN)).toBe('clients');
  });

  it('PUBLIC_READ=false: no page without a key that may read', async () => {
    const client = await start({ PUBLIC_READ: 'false' });
    expect(await shown(client)).toBe('401');
    expect(await shown(client, keys.minter)).toBe('403');
    expect(await shown(client, keys.reader)).toBe('clients');
  });
});
