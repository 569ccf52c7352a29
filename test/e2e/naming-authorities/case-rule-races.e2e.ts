import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Client } from '../harness/client.js';
import { query } from '../harness/database.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Two processes on one database: one changes the rule of case or the profile of a prefix, and the other stores names under it.
const service = useService();
const { create, patch } = authoritiesOf(service);
let otherServer: TestServer;
let other: Client;

beforeAll(async () => {
  otherServer = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  other = new Client(otherServer.url);
});
afterAll(() => otherServer.stop());

const JSON_LINES = { 'content-type': 'application/x-ndjson' };
const MERGE_PATCH = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };

const changed = async (client: Client, change: (identifier: string) => Promise<Answer>) =>
  change((await client.mint()).body.identifier);

/** The ways to store a name. The body of an answer has the code of a problem of the only line, if it is a stream. */
const WAYS: [string, (client: Client, name: string) => Promise<Answer>][] = [
  ['the metadata ID of a mint', (client, metadataId) => client.mint({ metadataId })],
  ['the metadata ID of a mint that updates', (client, metadataId) => client.mint({ metadataId, onExisting: 'update' })],
  ['an alternate identifier', (client, name) => client.mint({ alternateIds: [name] })],
  [
    'a batch',
    (client, metadataId) => client.post('/identifiers/batch', { items: [{ ...AUTHORITY, metadataId }, AUTHORITY] }),
  ],
  [
    'a change',
    (client, metadataId) =>
      changed(client, (identifier) =>
        client.send('PATCH', `/identifiers/${identifier}`, MERGE_PATCH, JSON.stringify({ metadataId })),
      ),
  ],
  [
    'a changed alternate',
    (client, name) =>
      changed(client, (identifier) =>
        client.send('PATCH', `/identifiers/${identifier}`, MERGE_PATCH, JSON.stringify({ alternateIds: [name] })),
      ),
  ],
  [
    'a stream of changes',
    (client, metadataId) =>
      changed(client, (identifier) =>
        client.send('POST', '/identifiers/changes', JSON_LINES, `${JSON.stringify({ identifier, metadataId })}\n`),
      ),
  ],
];
const AUTHORITY = { namingAuthority: '100.102' };

/** The ways for which a process does not look for a new naming authority. */
const FOREIGN: typeof WAYS = [
  ['the metadata ID of a mint', (client, metadataId) => client.mint({ metadataId })],
  ['an alternate identifier', (client, name) => client.mint({ alternateIds: [name] })],
  ['a previous version', (client, previousVersion) => client.mint({ previousVersion })],
];

/** The stored names under a prefix that ignores case whose keys depend on it. */
const wrongKeys = (prefix: string) =>
  query(
    service.database.url,
    `SELECT name FROM (
       SELECT metadata_id AS name, metadata_key AS key FROM identifier
       UNION ALL SELECT previous_version, previous_version_key FROM identifier
       UNION ALL SELECT i.alternate_ids[1], a.key FROM identifier i JOIN alternate_identifier a ON a.identifier_id = i.id
     ) names
     WHERE starts_with(name, 'hdl:' || $1 || '/')
       AND key <> encode(substring(sha256(convert_to('hdl:' || upper(substr(name, 5)), 'UTF8')) FROM 1 FOR 16), 'hex')::uuid`,
    [prefix],
  );

/** The cache of the other process is read again, so that it is fresh for nearly a second. */
const refreshOther = async () => {
  await pause(1000);
  await other.get('/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5');
};

const WITH_CASE = { profile: 'handle', caseInsensitive: true };

describe('a name that another process stores while its cache has the earlier rule of case', () => {
  const isStored = async (prefix: string, store: (client: Client, name: string) => Promise<Answer>) => {
    const stored = await store(other, `hdl:${prefix}/aB`);
    // The request takes effect by the new rule, or it fails and can be repeated.
    expect(stored.status === 503 ? stored.body.code : 'stored').toMatch(/^stored|CONFLICT_IN_PROGRESS$/);
    expect(await wrongKeys(prefix)).toEqual([]);
    await refreshOther();
    expect((await store(other, `hdl:${prefix}/aB`)).text).not.toContain('CONFLICT_IN_PROGRESS');
    expect(await wrongKeys(prefix)).toEqual([]);
  };

  it.each(FOREIGN)('has the key of a new naming authority: %s', async (_, store) => {
    const prefix = freshPrefix();
    await refreshOther();
    expect((await create({ namingAuthority: prefix, ...WITH_CASE })).status).toBe(201);
    await isStored(prefix, store);
  });

  it.each(WAYS)('has the key of a changed naming authority: %s', async (_, store) => {
    const prefix = freshPrefix();
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    await refreshOther();
    expect((await patch(prefix, { caseInsensitive: true })).status).toBe(200);
    await isStored(prefix, store);
  });

  it('leaves the key of a batch unused where it must be repeated', async () => {
    const prefix = freshPrefix();
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    await refreshOther();
    expect((await patch(prefix, { caseInsensitive: true })).status).toBe(200);
    const items = [{ ...AUTHORITY, metadataId: `hdl:${prefix}/aB` }];
    const repeated = () => other.post('/identifiers/batch', { items }, { 'idempotency-key': `batch-${prefix}` });
    const first = await repeated();
    expect([200, 503]).toContain(first.status);
    await refreshOther();
    const second = await repeated();
    expect([second.status, second.body.items[0].status]).toEqual([200, 201]);
    expect(await wrongKeys(prefix)).toEqual([]);
  });

  it('accepts a name whose prefix is longer than that of any naming authority', async () => {
    const random = Array.from({ length: 300 }, (_, n) => `${n}x${(n * 7919).toString(36)}`).join('');
    expect((await service.client.mint({ metadataId: `hdl:${random}/aB` })).status).toBe(201);
  });

  it('claims the name for all its letters', async () => {
    const prefix = freshPrefix();
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    await refreshOther();
    expect((await patch(prefix, { caseInsensitive: true })).status).toBe(200);
    const names = ['hdl:aB', 'hdl:f58fb49e-b1f8-48f0-a606-e84cef294be5'].map((name) =>
      name.replace(':', `:${prefix}/`),
    );
    for (const name of names) await other.mint({ alternateIds: [name] });
    await refreshOther();
    for (const name of names) {
      await other.mint({ alternateIds: [name] });
      const localName = name.slice(`hdl:${prefix}/`.length).toUpperCase();
      const registered = await service.client.post('/identifiers', { namingAuthority: prefix, localName });
      expect([name, registered.status]).toEqual([name, 409]);
    }
  });

  it('is one name with one identifier', async () => {
    const prefix = freshPrefix();
    await refreshOther();
    expect((await create({ namingAuthority: prefix, ...WITH_CASE })).status).toBe(201);
    const metadataId = `hdl:${prefix}/aB`;
    await other.mint({ metadataId });
    await refreshOther();
    const [one, two] = [
      await other.mint({ metadataId }),
      await service.client.mint({ metadataId: `hdl:${prefix}/Ab` }),
    ];
    expect([two.status, two.body.identifier]).toEqual([200, one.body.identifier]);
  });
});

/** The number of names under a prefix that a naming authority of the profile "cordra" cannot have. */
const storedUnder = async (prefix: string) => {
  const [row] = await query(
    service.database.url,
    `SELECT count(*)::int AS count FROM identifier
     WHERE starts_with(concat_ws(' ', metadata_id, previous_version, alternate_ids[1]), 'hdl:' || $1 || '/')`,
    [prefix],
  );
  return (row as { count: number }).count;
};

describe('a name that is not a GUID, which another process stores while its cache does not have the profile "cordra"', () => {
  const isRejected = async (prefix: string, store: (client: Client, name: string) => Promise<Answer>) => {
    expect((await store(other, `hdl:${prefix}/aB`)).text).toMatch(/CONFLICT_IN_PROGRESS|INVALID_GUID/);
    expect(await storedUnder(prefix)).toBe(0);
    await refreshOther();
    expect((await store(other, `hdl:${prefix}/aB`)).text).toContain('INVALID_GUID');
  };

  it.each(FOREIGN)('is not stored under a new naming authority: %s', async (_, store) => {
    const prefix = freshPrefix();
    await refreshOther();
    expect((await create({ namingAuthority: prefix })).status).toBe(201);
    await isRejected(prefix, store);
  });

  it.each(WAYS)('is not stored under a changed naming authority: %s', async (_, store) => {
    const prefix = freshPrefix();
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    await refreshOther();
    expect((await patch(prefix, { profile: 'cordra' })).status).toBe(200);
    await isRejected(prefix, store);
  });
});

describe('a naming authority that is created with the profile "cordra" during a batch', () => {
  it.each([10, 100, 200])('has only GUIDs after %i ms, or is rejected', async (delay) => {
    const prefix = freshPrefix();
    const items = Array.from({ length: 4000 }, (_, n) => ({ ...AUTHORITY, metadataId: `hdl:${prefix}/${n}` }));
    const minting = service.client.post('/identifiers/batch', { items });
    await pause(delay);
    const answer = await create({ namingAuthority: prefix });
    const minted = await minting;
    expect([201, 422, 503]).toContain(answer.status);
    if (answer.status === 201) expect(await storedUnder(prefix)).toBe(0);
    else expect(minted.status).toBeLessThan(300);
  });
});

describe('a naming authority that is created with the other rule of case during a batch', () => {
  it.each([10, 100, 200])('has names of one rule after %i ms, or is rejected', async (delay) => {
    const prefix = freshPrefix();
    const items = Array.from({ length: 4000 }, (_, n) => ({ ...AUTHORITY, metadataId: `hdl:${prefix}/aB-${n}` }));
    const minting = service.client.post('/identifiers/batch', { items });
    await pause(delay);
    const answer = await create({ namingAuthority: prefix, ...WITH_CASE });
    const minted = await minting;
    expect([201, 422, 503]).toContain(answer.status);
    if (answer.status === 201) expect(await wrongKeys(prefix)).toEqual([]);
    else expect(minted.status).toBeLessThan(300);
  });
});
