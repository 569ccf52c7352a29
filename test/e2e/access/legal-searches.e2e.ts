import { beforeAll, describe, expect, it } from '@jest/globals';
import { ndjson } from '../harness/changes.js';
import {
  A,
  B,
  BARE,
  CLAIMED,
  type Headers,
  OTHERS,
  SUBJECT,
  VALUES,
  hasValue,
  of,
  useLegalRecords,
} from '../harness/legal-records.js';
import { NEXT_YEAR } from '../harness/reservations.js';

const { clients, ask, done, withdraw } = useLegalRecords();

const FORM = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
const { metadataId, target, alternateIds } = VALUES;
const [alternateId] = alternateIds;
const RESERVED = `${A}/reserved`;

type Request = (headers: Headers) => Promise<{ readonly status: number; readonly text: string }>;
const get =
  (path: string): Request =>
  (headers) =>
    ask(path, headers);
const post =
  (path: string, body: object | string, more: Headers = {}): Request =>
  (headers) =>
    ask(path, { ...more, ...headers }, { method: 'POST', body });

beforeAll(async () => {
  const reserved = { namingAuthority: A, localName: 'reserved', state: 'reserved', leaseUntil: NEXT_YEAR };
  await done('/identifiers', reserved);
  await withdraw(SUBJECT, BARE);
});

describe('an identifier that is withdrawn for legal reasons', () => {
  const names = (text: string): string[] => [SUBJECT, BARE].filter((name) => text.includes(name));

  it.each<[string, Request]>([
    ['the list of its metadata ID', get(`/identifiers?metadataId=${metadataId}`)],
    ['the list of its metadata ID with a state', get(`/identifiers?metadataId=${metadataId}&state=withdrawn`)],
    ['the list of its alternate identifier', get(`/identifiers?alternateId=${alternateId}`)],
    ['the list of its target', get(`/identifiers?target=${target}`)],
    ['the list of its target and naming authority', get(`/identifiers?target=${target}&namingAuthority=${A}`)],
    ['the export of its metadata ID', get(`/identifiers/export?metadataId=${metadataId}`)],
    ['the export of the start of its target', get('/identifiers/export?targetPrefix=https://repo.example.org/zqx')],
    ['a look-up of its metadata ID', post('/identifiers/lookup', { items: [metadataId] })],
    ['a look-up of its alternate identifier', post('/identifiers/lookup', { items: [alternateId] })],
    ['a look-up of its target', post('/identifiers/lookup', { items: [target] })],
    ['the form of the resolver with its metadata ID', post('/', `hdl=${metadataId}`, FORM)],
  ])('is found by %s by those who may curate it only', async (_, request) => {
    expect(names((await request(clients.curator)).text)).toEqual([SUBJECT]);
    for (const name of OTHERS) {
      const { text } = await request(clients[name]);
      expect([name, names(text), hasValue(text, metadataId, target, alternateId!)]).toEqual([name, [], false]);
    }
  });

  it.each([
    ['a metadata ID', 'hasMetadataId', [BARE]],
    ['a target', 'hasTarget', [BARE]],
  ])('is not told by lists of those without %s', async (_, member, curated) => {
    const path = `/identifiers?${member}=false&state=withdrawn&total=true`;
    expect(names((await ask(path, clients.curator)).text)).toEqual(curated);
    for (const name of OTHERS) {
      const { text } = await ask(path, clients[name]);
      expect([name, names(text), text.includes('"total":{"value":0')]).toEqual([name, [], true]);
    }
  });

  it.each([`metadataId=${metadataId}`, `alternateId=${alternateId}`, `target=${target}`])(
    'is not counted for others by %s',
    async (filter) => {
      const path = `/identifiers?${filter}&total=true`;
      expect((await ask(path, clients.curator)).text).toContain('"total":{"value":1');
      for (const name of OTHERS) expect((await ask(path, clients[name])).text).toContain('"total":{"value":0');
    },
  );

  const mint = (fields: object): object => ({ namingAuthority: A, ...fields });
  const reject = { metadataId, onExisting: 'reject' };

  it.each<[string, Request, string]>([
    ['a mint of its metadata ID', post('/identifiers', mint(reject)), 'METADATA_ID_TAKEN'],
    ['a mint that compares it', post('/identifiers', mint({ metadataId, onExisting: 'match' })), 'METADATA_ID_TAKEN'],
    ['a mint of its alternate identifier', post('/identifiers', mint({ alternateIds: [alternateId] })), 'ALTERNATE'],
    ['a batch', post('/identifiers/batch', { items: [mint(reject)] }), 'METADATA_ID_TAKEN'],
    ['a bulk', post('/identifiers/bulk', ndjson(mint(reject)), NDJSON), 'METADATA_ID_TAKEN'],
    ['an activation', post(`${of(RESERVED)}/activate`, { metadataId }), 'METADATA_ID_TAKEN'],
    [
      'an activation with its alternate',
      post(`${of(RESERVED)}/activate`, { alternateIds: [alternateId] }),
      'ALTERNATE',
    ],
  ])('is named in the conflict of %s for those who may curate it only', async (_, request, code) => {
    const curated = await request(clients.curator);
    expect([curated.text.includes(code), names(curated.text)]).toEqual([true, [SUBJECT]]);
    const { text } = await request(clients.minter);
    expect([text.includes(code), names(text)]).toEqual([true, []]);
    expect(hasValue(text, metadataId, alternateId!)).toBe(false);
  });

  it('is returned for its metadata ID to those who may curate it only', async () => {
    const request = post('/identifiers', mint({ metadataId, onExisting: 'return' }));
    expect(names((await request(clients.curator)).text)).toEqual([SUBJECT]);
    const { status, text } = await request(clients.minter);
    expect([status, names(text), hasValue(text, metadataId)]).toEqual([409, [], false]);
  });

  it.each<[string, Request]>([
    ['a registration', post('/identifiers', { namingAuthority: B, localName: 'zqx-claimed' })],
    ['an import', post('/identifiers/import', ndjson({ identifier: CLAIMED }), NDJSON)],
    ['a dry run of an import', post('/identifiers/import?dryRun=true', ndjson({ identifier: CLAIMED }), NDJSON)],
  ])('is not named in the conflict of %s of a name that one of its alternates claims', async (_, request) => {
    expect(names((await request(clients.admin)).text)).toEqual([SUBJECT]);
    const { text } = await request(clients.other);
    expect([text.includes('ALTERNATE_ID_TAKEN'), names(text)]).toEqual([true, []]);
  });

  it('does not tell by the rejection of a cycle what it replaces', async () => {
    const successor = `${B}/successor`;
    await done('/identifiers', { namingAuthority: B, localName: 'successor' });
    await done('/identifiers', { namingAuthority: A, localName: 'cycle', previousVersion: `hdl:${successor}` });
    await withdraw(`${A}/cycle`);
    const change = (headers: Headers) =>
      ask(
        of(successor),
        { ...headers, 'if-match': '*' },
        { method: 'PATCH', body: { previousVersion: `hdl:${A}/cycle` } },
      );
    const curated = await change(clients.admin);
    expect([curated.status, curated.text.includes('INVALID_PREDECESSOR')]).toEqual([422, true]);
    expect((await change(clients.other)).status).toBe(200);
  });

  it('does not tell it by the rejection of a new cycle, also where it was imported as withdrawn', async () => {
    const tombstone = { withdrawnAt: '2026-01-01T00:00:00Z', reasonCode: 'legal', reason: 'The zqx reason.' };
    const imported = { identifier: `${A}/imported`, previousVersion: `hdl:${B}/later`, state: 'withdrawn', tombstone };
    const body = ndjson(imported);
    const { text } = await ask('/identifiers/import', { ...clients.admin, ...NDJSON }, { method: 'POST', body });
    expect(text).toContain('"outcome":"imported"');
    const register = post('/identifiers', {
      ...{ namingAuthority: B, localName: 'later', previousVersion: `hdl:${A}/imported` },
    });
    expect([(await register(clients.admin)).status, (await register(clients.other)).status]).toEqual([422, 201]);
  });

  it('has no reason in the rejection of a change', async () => {
    for (const name of ['curator', 'minter'] as const) {
      const { status, text } = await ask(`${of(SUBJECT)}/activate`, clients[name], { method: 'POST', body: {} });
      expect([status, hasValue(text)]).toEqual([409, false]);
    }
  });
});
