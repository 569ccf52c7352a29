import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from '../harness/client.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Two processes on one database: changes of one take effect in the other.
const service = useService();
let otherServer: TestServer;
let other: Client;

beforeAll(async () => {
  otherServer = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  other = new Client(otherServer.url);
});
afterAll(async () => {
  await otherServer.stop();
});

let last = 30000;
async function created(fields: object = {}): Promise<string> {
  const namingAuthority = String(++last);
  expect((await service.client.post('/naming-authorities', { namingAuthority, ...fields })).status).toBe(201);
  return namingAuthority;
}

const patch = async (prefix: string, fields: object, on: Client = service.client) => {
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const answer = await on.send('PATCH', `/naming-authorities/${prefix}`, headers, JSON.stringify(fields));
  expect(answer.status).toBe(200);
};

const mint = (on: Client, namingAuthority: string, fields: object = {}) => on.mint({ namingAuthority, ...fields });

const UUIDS = {
  1: /^[0-9A-F]{12}1[0-9A-F]{3}[89AB][0-9A-F]{15}$/,
  4: /^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/,
  7: /^[0-9A-F]{12}7[0-9A-F]{3}[89AB][0-9A-F]{15}$/,
};

describe('uuidVersion', () => {
  it('CID-11: version 1 has the time of the mint and a random node, whose multicast bit is set (RFC 9562 6.10)', async () => {
    const prefix = await created({ uuidVersion: 1 });
    const before = Date.now();
    for (const client of [service.client, other]) {
      const { guid } = (await mint(client, prefix)).body;
      expect(guid).toMatch(UUIDS[1]);
      expect(parseInt(guid.slice(20, 22), 16) & 1).toBe(1);
      // 100 ns since 1582-10-15 (RFC 9562 5.1).
      const ticks = BigInt(`0x${guid.slice(13, 16)}${guid.slice(8, 12)}${guid.slice(0, 8)}`);
      const time = Number(ticks / 10_000n) - 12_219_292_800_000;
      expect(Math.abs(time - before)).toBeLessThan(60_000);
    }
  });

  it('CID-11: version 7 has the time of the mint, in its order', async () => {
    const prefix = await created({ uuidVersion: 7 });
    const guids: string[] = [];
    for (let i = 0; i < 5; i++) guids.push((await mint(service.client, prefix)).body.guid);
    for (const guid of guids) expect(guid).toMatch(UUIDS[7]);
    expect([...guids].sort()).toEqual(guids);
    expect(Math.abs(parseInt(guids[0]!.slice(0, 12), 16) - Date.now())).toBeLessThan(60_000);
  });

  it('is kept to for the metadata record and under the profile "handle"', async () => {
    const prefix = await created({ uuidVersion: 7, profile: 'handle' });
    const { localName, metadataRecord } = (await mint(service.client, prefix, { mintMetadataId: true })).body;
    expect([localName, metadataRecord.localName]).toEqual([
      expect.stringMatching(UUIDS[7]),
      expect.stringMatching(UUIDS[7]),
    ]);
  });

  it('a change takes effect for the next mint, in both processes', async () => {
    const prefix = await created();
    for (const client of [service.client, other]) expect((await mint(client, prefix)).body.guid).toMatch(UUIDS[4]);
    for (const version of [7, 1, 4] as const) {
      await patch(prefix, { uuidVersion: version });
      for (const client of [other, service.client]) {
        expect((await mint(client, prefix)).body.guid).toMatch(UUIDS[version]);
      }
    }
  });
});

describe('status', () => {
  it('one that is suspended in one process mints nothing in the other, at once, and again when it is active', async () => {
    const prefix = await created();
    expect((await mint(other, prefix)).status).toBe(201);
    for (let round = 0; round < 5; round++) {
      await patch(prefix, { state: 'suspended' });
      for (const client of [other, service.client]) {
        const rejected = await mint(client, prefix);
        expect([rejected.status, rejected.body.code]).toEqual([422, 'SUSPENDED_NAMING_AUTHORITY']);
      }
      await patch(prefix, { state: 'active' });
      for (const client of [other, service.client]) expect((await mint(client, prefix)).status).toBe(201);
    }
  });

  it('a new one mints in the other process at once, and its identifiers are found there', async () => {
    for (const profile of ['cordra', 'handle']) {
      await other.get('/identifiers/1234567%2Fx');
      const prefix = await created({ profile });
      const name = profile === 'handle' ? { localName: 'a b' } : {};
      const minted = await mint(service.client, prefix, name);
      const found = await other.get(`/identifiers/${encodeURIComponent(minted.body.identifier)}`);
      expect([found.status, found.body?.identifier]).toEqual([200, minted.body.identifier]);
      const next = await created({ profile });
      expect((await mint(other, next)).status).toBe(201);
    }
  });

  it('what a suspended one has minted resolves, and a repeat by Idempotency-Key gets the first outcome', async () => {
    const prefix = await created();
    const key = { 'idempotency-key': `suspended-${prefix}` };
    const first = await service.client.mint({ namingAuthority: prefix }, key);
    await patch(prefix, { state: 'suspended' });
    const again = await other.mint({ namingAuthority: prefix }, key);
    expect([again.status, again.body.identifier]).toEqual([201, first.body.identifier]);
    expect((await other.get(`/identifiers/${first.body.identifier}`)).status).toBe(200);
  });
});

describe('targetTemplate', () => {
  it('gives the target of mints without one, in both processes, and leaves the given and the earlier ones', async () => {
    const prefix = await created({ targetTemplate: 'https://repo.example.org/{guid}?v={localName}' });
    const first = (await mint(other, prefix)).body;
    expect(first.target).toBe(`https://repo.example.org/${first.guid}?v=${first.guid}`);
    const target = 'https://elsewhere.example.org/1';
    expect((await mint(other, prefix, { target })).body.target).toBe(target);
    await patch(prefix, { targetTemplate: 'https://new.example.org/{guid}' }, other);
    const second = (await mint(service.client, prefix)).body;
    expect(second.target).toBe(`https://new.example.org/${second.guid}`);
    await patch(prefix, { targetTemplate: null });
    expect((await mint(other, prefix)).body.target).toBeNull();
    expect((await service.client.get(`/identifiers/${first.identifier}`)).body.target).toBe(first.target);
  });

  it.each([
    ['a/b?c#d', 'https://repo.example.org/a%2Fb%3Fc%23d'],
    ["$&$'é%41", "https://repo.example.org/%24%26%24'%C3%A9%2541"],
  ])('takes the local name %j as one escaped segment', async (localName, target) => {
    const prefix = await created({ profile: 'handle', targetTemplate: 'https://repo.example.org/{localName}' });
    expect((await mint(service.client, prefix, { localName })).body.target).toBe(target);
  });

  it('a local name that makes too long a target is rejected, unless a target is given', async () => {
    const prefix = await created({ profile: 'handle', targetTemplate: 'https://repo.example.org/{localName}' });
    const localName = 'é'.repeat(1000);
    const rejected = await mint(service.client, prefix, { localName });
    expect([rejected.status, rejected.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(rejected.body.errors[0].pointer).toBe('/localName');
    const target = 'https://repo.example.org/1';
    expect((await mint(service.client, prefix, { localName, target })).status).toBe(201);
  });

  it.each(['.', '..'])(
    'the local name %j, which as a segment leads elsewhere, is rejected unless a target is given',
    async (localName) => {
      const prefix = await created({
        profile: 'handle',
        targetTemplate: 'https://repo.example.org/objects/{localName}',
      });
      const rejected = await mint(service.client, prefix, { localName });
      expect([rejected.status, rejected.body.code]).toEqual([400, 'INVALID_REQUEST']);
      expect(rejected.body.errors[0].pointer).toBe('/localName');
      const target = 'https://repo.example.org/objects/1';
      expect((await mint(service.client, prefix, { localName, target })).status).toBe(201);
    },
  );

  it('takes the local name ".." where it is no segment of a path', async () => {
    const prefix = await created({ profile: 'handle', targetTemplate: 'https://repo.example.org/?of={localName}' });
    expect((await mint(service.client, prefix, { localName: '..' })).body.target).toBe(
      'https://repo.example.org/?of=..',
    );
  });
});

describe('resolver', () => {
  it('is written and understood by both processes after a change', async () => {
    const prefix = await created();
    const { identifier } = (await mint(other, prefix)).body;
    await patch(prefix, { resolver: { scheme: 'https', authority: 'one.example.org', firstSegment: 'hdl' } });
    const http = `https://one.example.org/hdl/${identifier}`;
    for (const client of [other, service.client]) {
      expect((await client.get(`/identifiers/${identifier}`)).body.uris.resolver).toBe(http);
      expect((await client.get(`/identifiers/${encodeURIComponent(http)}`)).body.identifier).toBe(identifier);
      expect((await client.get(`/identifiers/${identifier}/uris`)).body.resolver).toBe(http);
    }
    await patch(prefix, { resolver: null });
    expect((await other.get(`/identifiers/${identifier}`)).body.uris.resolver).toBe(
      `http://hdl.handle.net/${identifier}`,
    );
  });

  it('URI-32: on the host of another resolver, its first segment is no naming authority', async () => {
    const prefix = await created({
      profile: 'handle',
      resolver: { scheme: 'http', authority: 'hdl.handle.net', firstSegment: 'api' },
    });
    const { identifier, uris } = (await mint(service.client, prefix, { localName: 'x/y' })).body;
    expect(uris.resolver).toBe(`http://hdl.handle.net/api/${prefix}/x%2Fy`);
    for (const url of [
      uris.resolver,
      `https://hdl.handle.net/api/${prefix}/x%2Fy`,
      `https://hdl.handle.net/${prefix}/x/y`,
    ]) {
      expect((await service.client.get(`/identifiers/${encodeURIComponent(url)}`)).body.identifier).toBe(identifier);
    }
  });

  it('one whose host looks like a naming authority hides no identifier', async () => {
    const prefix = await created();
    await patch(prefix, { resolver: { scheme: 'http', authority: prefix } });
    const { identifier } = (await mint(service.client, prefix)).body;
    for (const spelling of [identifier, `http://${prefix}/${identifier}`]) {
      const found = await service.client.get(`/identifiers/${encodeURIComponent(spelling)}`);
      expect([found.status, found.body.identifier]).toEqual([200, identifier]);
    }
  });
});
