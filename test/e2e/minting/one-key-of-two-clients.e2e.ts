import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import { PATH } from '../harness/bulk.js';
import { CHANGES, mintMany, ndjson } from '../harness/changes.js';
import type { Answer, Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { freshMetadataId } from '../harness/fresh-names.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useService } from '../harness/service.js';
import { PATIENT } from '../harness/stalls.js';

const service = useService({ ...PATIENT, ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY });
const NA = '100.102';
const SUSPENDED = '2007';
/** More members and lines than one transaction settles or changes. */
const MANY = 101;
const target = 'https://repo.example.org/1';

/** The outcome of a request: the status and the problem of each line or item, and all that identifies the result. */
interface Outcome {
  readonly statuses: readonly number[];
  readonly codes: readonly (string | undefined)[];
  readonly text: string;
}

type Headers = Record<string, string>;
type Send = (key: string) => Promise<Outcome>;

const outcomeOf = ({ status, body, text }: Answer): Outcome => ({ statuses: [status], codes: [body.code], text });

/** The requests of one client, each of which is the same in every repeat. */
async function requestsOf(client: Client, bearer: Headers): Promise<Record<string, Send>> {
  const post = async (path: string, body: object, key?: string) =>
    client.post(path, body, { ...bearer, ...(key !== undefined && { 'idempotency-key': key }) });
  const streamed = async (path: string, body: string, key: string): Promise<Outcome> => {
    const headers = { ...bearer, 'content-type': 'application/x-ndjson', 'idempotency-key': key };
    const text = await (await fetch(client.base + path, { method: 'POST', headers, body })).text();
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    return { statuses: lines.map(({ status }) => status), codes: lines.map(({ problem }) => problem?.code), text };
  };
  const minting = { ...client, post: (path: string, body: object) => post(path, body) } as Client;
  const [updated, ...names] = Array.from({ length: 4 }, freshMetadataId);
  await mintMany(minting, [{ metadataId: updated, target }, ...names.map((metadataId) => ({ metadataId }))]);
  const [known] = await mintMany(minting, [{}]);
  const changed = await mintMany(
    minting,
    Array.from({ length: MANY }, () => ({})),
  );
  const reservation = { namingAuthority: NA, count: MANY, leaseUntil: NEXT_YEAR };
  const { id } = (await post('/reservations', reservation)).body;
  const posted =
    (path: string, body: object): Send =>
    async (key) =>
      outcomeOf(await post(path, body, key));
  return {
    'a mint': posted('/identifiers', { namingAuthority: NA }),
    'a mint that is rejected': posted('/identifiers', { namingAuthority: SUSPENDED }),
    'a mint that finds an identifier': posted('/identifiers', { namingAuthority: NA, metadataId: names[0] }),
    'a mint that updates an identifier': posted('/identifiers', {
      ...{ namingAuthority: NA, metadataId: updated, target, onExisting: 'update' },
    }),
    'a batch': posted('/identifiers/batch', { namingAuthority: NA, count: 3 }),
    'a reservation': posted('/reservations', { ...reservation, count: 2 }),
    'an activation': posted(`/reservations/${id}/activate`, {}),
    'a change': async (key) => {
      const headers = { ...bearer, 'content-type': 'application/json', 'if-match': '*', 'idempotency-key': key };
      return outcomeOf(await client.send('PATCH', `/identifiers/${known}`, headers, JSON.stringify({ target })));
    },
    'a stream that mints': (key) => streamed(PATH, ndjson({}, {}, {}), key),
    'a stream that finds identifiers': (key) =>
      streamed(PATH, ndjson(...names.map((metadataId) => ({ metadataId }))), key),
    'a stream of changes': (key) =>
      streamed(CHANGES, ndjson(...changed.map((identifier) => ({ identifier, target }))), key),
  };
}

const KINDS = [
  ...['a mint', 'a mint that finds an identifier', 'a mint that updates an identifier', 'a batch', 'a reservation'],
  ...['an activation', 'a change', 'a stream that mints', 'a stream that finds identifiers', 'a stream of changes'],
];

let one: Record<string, Send>;
let two: Record<string, Send>;

beforeAll(async () => {
  const requests = async (client: string) => {
    const scopes = ['read', 'mint', 'register', 'curate'];
    const { status, body } = await service.client.post('/api-keys', { client, namingAuthorities: null, scopes }, ADMIN);
    expect(status).toBe(201);
    return requestsOf(service.client, { authorization: `Bearer ${body.secret}` });
  };
  const suspended = { namingAuthority: SUSPENDED, state: 'suspended' };
  expect((await service.client.post('/naming-authorities', suspended, ADMIN)).status).toBe(201);
  [one, two] = await Promise.all([requests('one'), requests('two')]);
  expect(Object.keys(one)).toEqual([KINDS[0], 'a mint that is rejected', ...KINDS.slice(1)]);
});

const succeeded = ({ statuses }: Outcome) =>
  statuses.length > 0 && statuses.every((status) => [200, 201].includes(status));

describe('one Idempotency-Key', () => {
  it.each(KINDS)(
    'of two clients, of which one sent %s: both requests take effect, and each repeat is its own',
    async (first) => {
      const trials = KINDS.map(async (second) => {
        const key = randomUUID();
        const ofOne = await one[first]!(key);
        const ofTwo = await two[second]!(key);
        expect([second, ...[ofOne, ofTwo].map(succeeded)]).toEqual([second, true, true]);
        expect(ofTwo.text === ofOne.text).toBe(false);
        const again = [await one[first]!(key), await two[second]!(key)];
        expect([second, again[0]!.text === ofOne.text, again[1]!.text === ofTwo.text]).toEqual([second, true, true]);
      });
      await Promise.all(trials);
    },
  );

  it.each(KINDS)('of one client that sent %s: other requests are rejected', async (first) => {
    const trials = KINDS.filter((second) => second !== first).map(async (second) => {
      const key = randomUUID();
      expect([second, succeeded(await one[first]!(key))]).toEqual([second, true]);
      const { codes } = await one[second]!(key);
      expect([second, ...new Set(codes)]).toEqual([second, 'IDEMPOTENCY_KEY_REUSED']);
    });
    await Promise.all(trials);
  });
});

describe('a mint that is rejected', () => {
  it('has its own problem where another client has used its key, and not where its own client has', async () => {
    const key = randomUUID();
    expect((await one['a mint']!(key)).statuses).toEqual([201]);
    expect((await two['a mint that is rejected']!(key)).codes).toEqual(['SUSPENDED_NAMING_AUTHORITY']);
    expect((await one['a mint that is rejected']!(key)).codes).toEqual(['IDEMPOTENCY_KEY_REUSED']);
  });
});

describe('an Idempotency-Key whose first request is in flight', () => {
  it.each(KINDS)('makes %s of another client meanwhile', async (kind) => {
    const key = randomUUID();
    const metadataId = freshMetadataId();
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query(
      `INSERT INTO identifier (naming_authority_id, guid, metadata_id, metadata_key)
       VALUES ((SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), $1, encode(substring(sha256(convert_to($1, 'UTF8')) FROM 1 FOR 16), 'hex')::uuid)`,
      [metadataId],
    );
    const headers = { ...ADMIN, 'idempotency-key': key };
    const items = [{ metadataId }];
    const blocked = service.client.post('/identifiers/batch', { namingAuthority: NA, items }, headers);
    const waiting = "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while ((await query(service.database.url, waiting)).length === 0) await pause(10);
    const busy = await service.client.post('/identifiers/batch', { namingAuthority: NA, items }, headers);
    const ofOther = await two[kind]!(key);
    await holder.query('ROLLBACK');
    await holder.end();
    expect([busy.status, busy.body.code]).toEqual([409, 'REQUEST_IN_FLIGHT']);
    expect(succeeded(ofOther)).toBe(true);
    expect((await blocked).body.items[0].status).toBe(201);
  });
});
