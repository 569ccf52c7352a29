import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, coded } from '../harness/client.js';
import { type TestDatabase, createDatabase } from '../harness/database.js';
import { untilRead } from '../harness/log-reader.js';
import { type TestServer, startServer } from '../harness/server.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);
const NO_ACTOR = { client: null, keyId: null };

let database: TestDatabase;
const servers: TestServer[] = [];
let key: { id: string; secret: string };
let reader: Record<string, string>;
let minter: Record<string, string>;
let identifier: string;
let anonymous: Client;
let full: Client;
let none: Client;

/** A service on the common database with a setting of the public history. */
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

/** The client of the mint in each of the routes that return the history. */
async function actors(client: Client, headers: Record<string, string> = {}): Promise<unknown[]> {
  const pick = ({ client: name, keyId }: { client: unknown; keyId: unknown }) => ({ client: name, keyId });
  const history = await client.get(`/identifiers/${identifier}/history`, headers);
  const events = await client.get('/events', headers);
  const stream = await fetch(`${client.base}/events`, { headers: { ...headers, accept: 'text/event-stream' } });
  const body = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
  const { value = '' } = await body.read();
  await body.cancel();
  const data = value.split('\n').filter((line) => line.startsWith('data: '));
  const streamed = data.map((line) => JSON.parse(line.slice(6))).find((event) => event.identifier === identifier);
  const event = events.body.items.find((each: { identifier: string }) => each.identifier === identifier);
  return [history.body.items[0], event, streamed].map(pick);
}

/** What of the history the page and the links of a record show. */
async function shown({ base }: Client, headers: Record<string, string> = {}): Promise<string> {
  const page = await fetch(`${base}/identifiers/${identifier}`, { headers: { ...headers, accept: 'text/html' } });
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
  const [client, ...others] = await Promise.all([
    start(),
    start({ PUBLIC_HISTORY: 'full' }),
    start({ PUBLIC_HISTORY: 'none' }),
  ]);
  [full, none] = others;
  anonymous = client;
  const create = async (name: string, scopes: string[]) =>
    (await client.post('/api-keys', { client: name, namingAuthorities: null, scopes }, ADMIN)).body;
  key = await create('library', ['mint']);
  minter = bearer(key.secret);
  reader = bearer((await create('reader', ['read'])).secret);
  identifier = (await client.mint({}, minter)).body.identifier;
  // The creation of the naming authority and the mint.
  await untilRead(client, 2);
});
afterAll(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await database.drop();
});

describe('PUBLIC_HISTORY', () => {
  it('anonymous: events can be selected by their client with a key only', async () => {
    const path = '/events?client=library';
    expect(coded(await anonymous.get(path))).toEqual([401, 'UNAUTHENTICATED']);
    const { body } = await anonymous.get(path, reader);
    expect(body.items.map((event: { identifier: string }) => event.identifier)).toEqual([identifier]);
    expect((await full.get(path)).body.items).toEqual(body.items);
  });

  it('anonymous, the default: without a key the client of a change is hidden; with any key it is shown', async () => {
    expect(await actors(anonymous)).toEqual([NO_ACTOR, NO_ACTOR, NO_ACTOR]);
    const library = { client: 'library', keyId: key.id };
    for (const headers of [reader, minter, ADMIN])
      expect(await actors(anonymous, headers)).toEqual([library, library, library]);
    const settings = await anonymous.get('/naming-authorities/100.102/history');
    expect(settings.body.items[0]).toMatchObject({ ...NO_ACTOR, kind: 'created' });
  });

  it('full: everybody sees who made a change', async () => {
    const library = { client: 'library', keyId: key.id };
    expect(await actors(full)).toEqual([library, library, library]);
  });

  it('none: the history needs a key with the scope "read"; all other reading does not', async () => {
    const paths = ['/events', `/identifiers/${identifier}/history`, '/naming-authorities/100.102/history'];
    for (const path of paths) {
      expect([path, coded(await none.get(path))]).toEqual([path, [401, 'UNAUTHENTICATED']]);
      expect([path, coded(await none.get(path, minter))]).toEqual([path, [403, 'SCOPE_MISSING']]);
      expect([path, (await none.get(path, reader)).status]).toEqual([path, 200]);
    }
    const open = ['/identifiers', `/identifiers/${identifier}`, '/naming-authorities', '/naming-authorities/100.102'];
    for (const path of open) expect([path, (await none.get(path)).status]).toEqual([path, 200]);
  });

  it('is no limit where access is open: everybody is an administrator there', async () => {
    const library = { client: 'library', keyId: key.id };
    const client = await start({ ACCESS: 'open', PUBLIC_HISTORY: 'none' });
    expect(await actors(client)).toEqual([library, library, library]);
  });
});

describe('the history on the page of a record', () => {
  it('PUBLIC_HISTORY=anonymous: changes for everybody, clients for requests with a key', async () => {
    expect(await shown(anonymous)).toBe('changes');
    expect(await shown(anonymous, minter)).toBe('clients');
    expect(await shown(anonymous, ADMIN)).toBe('clients');
  });

  it('PUBLIC_HISTORY=full: clients for everybody', async () => {
    expect(await shown(full)).toBe('clients');
  });

  it('PUBLIC_HISTORY=none: nothing without a key, nor with a key that may not read; the rest of the page', async () => {
    expect(await shown(none)).toBe('none');
    expect(await shown(none, minter)).toBe('none');
    expect(await shown(none, reader)).toBe('clients');
    expect(await shown(none, ADMIN)).toBe('clients');
  });

  it('PUBLIC_READ=false: no page without a key that may read', async () => {
    const client = await start({ PUBLIC_READ: 'false' });
    expect(await shown(client)).toBe('401');
    expect(await shown(client, minter)).toBe('403');
    expect(await shown(client, reader)).toBe('clients');
  });
});

describe('the id of an event', () => {
  it('is the same on every instance that started at once, after a restart, and in a restored backup', async () => {
    const ids = async (client: Client) =>
      (await client.get('/events?limit=1000', ADMIN)).body.items.map(({ id }: { id: string }) => id);
    const fresh = await createDatabase();
    const replicas = await Promise.all([1, 2, 3].map(() => start({ DATABASE_URL: fresh.url })));
    await replicas[0]!.mint({}, ADMIN);
    const seen = await Promise.all(replicas.map(ids));
    expect(seen[0]).toHaveLength(2);
    expect([seen[1], seen[2]]).toEqual([seen[0], seen[0]]);
    await Promise.all(servers.splice(-3).map((server) => server.stop('SIGKILL')));

    const restored = await createDatabase(new URL(fresh.url).pathname.slice(1));
    const again = await start({ DATABASE_URL: fresh.url });
    const elsewhere = await start({ DATABASE_URL: restored.url });
    expect([await ids(again), await ids(elsewhere)]).toEqual([seen[0], seen[0]]);
    const after = await elsewhere.get(`/events?cursor=${seen[0][0]}`, ADMIN);
    expect(after.body.items.map(({ id }: { id: string }) => id)).toEqual([seen[0][1]]);
    await Promise.all(servers.splice(-2).map((server) => server.stop()));
    await restored.drop();
    await fresh.drop();
  });

  it('of one registry is no cursor of another', async () => {
    const fresh = await createDatabase();
    const client = await start({ DATABASE_URL: fresh.url });
    const [mine] = (await anonymous.get('/events', ADMIN)).body.items;
    expect(coded(await client.get(`/events?cursor=${mine.id}`, ADMIN))).toEqual([400, 'INVALID_CURSOR']);
    await servers.pop()!.stop();
    await fresh.drop();
  });
});
