import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../harness/client.js';
import { linesIn, ndjson, sendChanges } from '../harness/changes.js';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };
const service = useService({
  ...{ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false', NAMING_AUTHORITIES: '7,8,9' },
});

type Headers = Record<string, string>;
let both: Headers;
let seven: Headers;
let eight: Headers;
let minter: Headers;

async function keyFor(client: string, scopes: string[], ...prefixes: string[]): Promise<Headers> {
  const namingAuthorities = prefixes.map((namingAuthority) => ({ namingAuthority }));
  const { status, body } = await service.client.post('/api-keys', { client, scopes, namingAuthorities }, ADMIN);
  expect(status).toBe(201);
  return { authorization: `Bearer ${body.secret}` };
}

beforeAll(async () => {
  const scopes = ['read', 'mint', 'register', 'curate'];
  both = await keyFor('both', scopes, '7', '8');
  seven = await keyFor('both', scopes, '7');
  eight = await keyFor('eight', scopes, '8');
  minter = await keyFor('minter', ['read', 'mint', 'curate'], '7');
});

const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();
const mint = (fields: object, headers: Headers) => service.client.post('/identifiers', fields, headers);
const rejection = ({ status, body }: Answer) => [status, body.code, body.errors?.[0].pointer];
const patch = (identifier: string, body: object, headers: Headers) =>
  service.client.send(
    'PATCH',
    `/identifiers/${identifier}`,
    { 'content-type': 'application/json', 'if-match': '*', ...headers },
    JSON.stringify(body),
  );

describe('an alternate under a visible naming authority of the service', () => {
  const FORBIDDEN = [403, 'SCOPE_MISSING', undefined];

  it('needs the scope "register" there, in a mint, a batch, a stream and changes', async () => {
    const alternateIds = ['demo:1', `7/${freshGuid()}`];
    const fields = { namingAuthority: '7', alternateIds };
    expect(rejection(await mint(fields, minter))).toEqual(FORBIDDEN);
    const batch = await service.client.post(
      '/identifiers/batch',
      { items: [fields, { namingAuthority: '7' }] },
      minter,
    );
    expect(batch.body.items.map(({ status, problem }: any) => [status, problem?.code])).toEqual([
      [403, 'SCOPE_MISSING'],
      [201, undefined],
    ]);
    const bulk = await fetch(`${service.client.base}/identifiers/bulk`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-ndjson', ...minter },
      body: ndjson(fields),
    });
    expect(linesIn(await bulk.text()).map(({ status, problem }) => [status, problem.code])).toEqual([
      [403, 'SCOPE_MISSING'],
    ]);
    const { identifier } = (await mint({ namingAuthority: '7', metadataId: 'demo:upserted' }, minter)).body;
    expect(rejection(await patch(identifier, { alternateIds }, minter))).toEqual(FORBIDDEN);
    for (const query of ['', '?dryRun=true']) {
      const { lines } = await sendChanges(service.client, ndjson({ identifier, alternateIds }), {
        query,
        headers: minter,
      });
      expect([lines[0].status, lines[0].problem.code]).toEqual([403, 'SCOPE_MISSING']);
    }
    const upsert = { ...fields, metadataId: 'demo:upserted', onExisting: 'update' };
    expect(rejection(await mint(upsert, minter))).toEqual(FORBIDDEN);
    // Foreign texts need no scope.
    expect((await patch(identifier, { alternateIds: ['demo:1', '11858/x'] }, minter)).status).toBe(200);
  });

  it('needs none where the identifier has it already', async () => {
    const claimed = `hdl:7/${freshGuid()}`;
    const { identifier } = (await mint({ namingAuthority: '7', alternateIds: [claimed] }, seven)).body;
    const alternateIds = ['demo:added', claimed];
    expect((await patch(identifier, { alternateIds }, minter)).body.alternateIds).toEqual([
      'info:fedora/demo:added',
      claimed,
    ]);
    const line = ndjson({ identifier, alternateIds: [...alternateIds, 'demo:more'] });
    expect((await sendChanges(service.client, line, { headers: minter })).lines[0].status).toBe(200);
    // It is still claimed.
    expect(rejection(await mint({ namingAuthority: '7', guid: claimed.slice(6) }, seven))[1]).toBe(
      'ALTERNATE_ID_TAKEN',
    );
  });

  it('needs it also for a name that no identifier of the naming authority can have', async () => {
    expect(rejection(await mint({ namingAuthority: '7', alternateIds: ['7/abc'] }, minter))[0]).not.toBe(201);
  });
});

describe('an alternate under a naming authority that is hidden', () => {
  it('is kept as a foreign text, whether it is registered or not, and never blocks a registration', async () => {
    const [registered, free] = [freshGuid(), freshGuid()];
    expect((await mint({ namingAuthority: '8', guid: registered }, eight)).status).toBe(201);
    for (const guid of [registered, free]) {
      const answer = await mint({ namingAuthority: '7', alternateIds: [`8/${guid}`] }, seven);
      expect([answer.status, answer.body.alternateIds]).toEqual([201, [`hdl:8/${guid}`]]);
    }
    expect((await mint({ namingAuthority: '8', guid: free }, eight)).status).toBe(201);
  });

  it('stays a foreign text when a key that sees the naming authority keeps it', async () => {
    const guid = freshGuid();
    const { identifier } = (await mint({ namingAuthority: '7', alternateIds: [`8/${guid}`] }, seven)).body;
    expect((await patch(identifier, { alternateIds: [`8/${guid}`, 'demo:kept-9'] }, both)).status).toBe(200);
    expect((await mint({ namingAuthority: '8', guid }, eight)).status).toBe(201);
    expect((await patch(identifier, { alternateIds: [`8/${guid}`, 'demo:kept-8'] }, both)).status).toBe(200);
  });

  it('cannot be released or claimed by a key that does not see it', async () => {
    const guid = freshGuid();
    const { identifier } = (await mint({ namingAuthority: '7', alternateIds: [`8/${guid}`] }, both)).body;
    expect((await patch(identifier, { alternateIds: [`8/${guid}`, 'demo:kept-7'] }, seven)).status).toBe(200);
    expect(rejection(await mint({ namingAuthority: '8', guid }, eight))).toEqual([409, 'ALTERNATE_ID_TAKEN', '/guid']);
  });
});

describe('who holds a claimed name', () => {
  it('is told only where the key sees it, also in a replay by another key of the client', async () => {
    const guid = freshGuid();
    const holder = (await mint({ namingAuthority: '7', alternateIds: [`8/${guid}`] }, both)).body.identifier;
    const fields = { namingAuthority: '8', guid };
    const hidden = await mint(fields, eight);
    expect(rejection(hidden)).toEqual([409, 'ALTERNATE_ID_TAKEN', '/guid']);
    expect(hidden.text).not.toContain(holder);
    expect([hidden.body.existing, hidden.headers.get('link')]).toEqual([undefined, null]);
    expect((await mint(fields, both)).body.identifier).toBe(holder);

    const narrow = await keyFor('both', ['read', 'mint', 'register', 'curate'], '8');
    const sendBulk = async (headers: Headers) => {
      const all = { 'content-type': 'application/x-ndjson', 'idempotency-key': 'bulk-replay', ...headers };
      const path = `${service.client.base}/identifiers/bulk`;
      return (await fetch(path, { method: 'POST', headers: all, body: ndjson(fields) })).text();
    };
    const sendBatch = async (headers: Headers) =>
      (
        await service.client.post(
          '/identifiers/batch',
          { items: [fields] },
          { 'idempotency-key': 'batch-replay', ...headers },
        )
      ).text;
    for (const send of [sendBulk, sendBatch]) {
      expect(await send(both)).toContain(holder);
      const replayed = await send(narrow);
      expect(replayed).toContain('ALTERNATE_ID_TAKEN');
      expect(replayed).not.toContain(holder);
    }
  });
});
