import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client, coded } from '../harness/client.js';
import { query } from '../harness/database.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService({ NAMING_AUTHORITIES: '100.102' });
const { created, patch } = authoritiesOf(service);
let another: TestServer;
let other: Client;

beforeAll(async () => {
  const database = { DATABASE_URL: service.database.url };
  another = await startServer({ ...database, ACCESS: 'open', NAMING_AUTHORITIES: '100.102' });
  other = new Client(another.url);
  // From here on naming authorities are written as with a clock that was set back by a day.
  await query(
    service.database.url,
    `CREATE FUNCTION put_back() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
       NEW.updated_at := now() - interval '1 day';
       IF TG_OP = 'INSERT' THEN NEW.created_at := NEW.updated_at;
       ELSE NEW.updated_at := greatest(NEW.updated_at, OLD.updated_at + interval '1 millisecond'); END IF;
       RETURN NEW; END $$;
     CREATE TRIGGER put_back BEFORE INSERT OR UPDATE ON naming_authority FOR EACH ROW EXECUTE FUNCTION put_back()`,
  );
});
afterAll(() => another.stop());

/** A naming authority that the other service has not read, and an identifier under it. */
async function made(): Promise<Record<'namingAuthority' | 'caseInsensitive' | 'identifier' | 'path', string>> {
  const namingAuthority = await created({ profile: 'handle' });
  const caseInsensitive = await created({ profile: 'handle', caseInsensitive: true });
  const minted = await service.client.post('/identifiers', { namingAuthority, localName: 'report 1' });
  expect(minted.status).toBe(201);
  const { identifier } = minted.body;
  return { namingAuthority, caseInsensitive, identifier, path: `/identifiers/${encodeURIComponent(identifier)}` };
}

describe('a naming authority that was created after the clock of the database was put back', () => {
  type Made = Awaited<ReturnType<typeof made>>;
  const status = async (answer: Promise<{ status: number }>) => (await answer).status;

  it.each<[string, number, (it: Made) => Promise<number>]>([
    ['mints', 201, ({ namingAuthority }) => status(other.post('/identifiers', { namingAuthority }))],
    [
      'mints by batch',
      201,
      async ({ namingAuthority }) => {
        const { body } = await other.post('/identifiers/batch', { items: [{ namingAuthority }] });
        return body.items[0].status;
      },
    ],
    [
      'reserves',
      201,
      ({ namingAuthority }) =>
        status(other.post('/reservations', { namingAuthority, count: 1, leaseUntil: '2100-01-01T00:00:00Z' })),
    ],
    ['is found', 200, ({ path }) => status(other.get(path))],
    ['has its identifiers changed', 200, ({ path }) => status(other.post(`${path}/withdraw`, { reason: 'Twice.' }))],
    ['shows the history of its identifiers', 200, ({ path }) => status(other.get(`${path}/history`))],
    [
      'shows its own history',
      200,
      ({ namingAuthority }) => status(other.get(`/naming-authorities/${namingAuthority}/history`)),
    ],
    [
      'is found among many',
      1,
      async ({ identifier }) => {
        const { body } = await other.post('/identifiers/lookup', { items: [identifier, '9.9/none'] });
        return body.items.filter((item: { outcome: string }) => item.outcome === 'found').length;
      },
    ],
    [
      'has its identifiers verified as replacements',
      422,
      async ({ namingAuthority }) => {
        const { identifier } = (await other.mint()).body;
        const replacedBy = `${namingAuthority}/none`;
        return status(other.post(`/identifiers/${identifier}/withdraw`, { reason: 'Replaced.', replacedBy }));
      },
    ],
    [
      'has its case rule applied to the metadata IDs of changes',
      409,
      async ({ caseInsensitive }) => {
        expect((await service.client.mint({ metadataId: `hdl:${caseInsensitive}/Report` })).status).toBe(201);
        const { identifier } = (await other.mint()).body;
        const headers = { 'content-type': 'application/json', 'if-match': '*' };
        const body = JSON.stringify({ metadataId: `hdl:${caseInsensitive}/report` });
        return status(other.send('PATCH', `/identifiers/${identifier}`, headers, body));
      },
    ],
    [
      'has its case rule applied to the alternates of changes',
      409,
      async ({ caseInsensitive }) => {
        expect((await service.client.mint({ alternateIds: [`hdl:${caseInsensitive}/Copy`] })).status).toBe(201);
        const { identifier } = (await other.mint()).body;
        const headers = { 'content-type': 'application/json', 'if-match': '*' };
        const body = JSON.stringify({ alternateIds: [`hdl:${caseInsensitive}/copy`] });
        return status(other.send('PATCH', `/identifiers/${identifier}`, headers, body));
      },
    ],
    [
      'takes an import',
      201,
      async ({ namingAuthority }) => {
        const exported = await (
          await fetch(`${service.server.url}/identifiers/export?namingAuthority=${namingAuthority}`)
        ).text();
        const body = exported.replaceAll('report 1', 'report 2');
        const headers = { 'content-type': 'application/x-ndjson' };
        const answer = await fetch(`${another.url}/identifiers/import`, { method: 'POST', headers, body });
        return JSON.parse((await answer.text()).split('\n')[0]!).status;
      },
    ],
  ])('%s in another service at once', async (_, expected, question) => {
    const it = await made();
    // The cache of the other service is fresh and does not contain the new one.
    await other.get('/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5');
    expect(await question(it)).toBe(expected);
  });

  it('mints in another service at once after it was suspended and activated', async () => {
    const { namingAuthority } = await made();
    expect((await patch(namingAuthority, { state: 'suspended' })).status).toBe(200);
    const mint = async () => coded(await other.post('/identifiers', { namingAuthority }));
    expect(await mint()).toEqual([422, 'SUSPENDED_NAMING_AUTHORITY']);
    expect((await patch(namingAuthority, { state: 'active' })).status).toBe(200);
    expect(await mint()).toEqual([201, undefined]);
  });

  it('is not looked up by a name that no text of the database can be', async () => {
    const answers = await Promise.all([
      other.post('/identifiers', { namingAuthority: '1\u0000' }),
      other.post('/identifiers/batch', { namingAuthority: '1\u0000', count: 1 }),
      other.post('/identifiers/lookup', { items: ['1\u0000/x'] }),
      other.get('/naming-authorities/1%00/history'),
    ]);
    expect(answers.map(({ status: each }) => each < 500)).toEqual([true, true, true, true]);
  });
});
