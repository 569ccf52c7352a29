import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { NEXT_YEAR, inFuture } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { minted, patch, step } = curationOf(service);

const [FIRST, SECOND, THIRD, OTHER] = ['first', 'second', 'third', 'other'].map(
  (name) => `https://repo.example.org/${name}`,
);
const keyed = () => ({ 'idempotency-key': randomUUID() });
const mint = (fields: object, headers: Record<string, string> = {}) => service.client.mint(fields, headers);

/** The status, the identifier and the pointers of the errors after that to the metadata ID. */
const matched = ({ status, body }: Answer) => [
  status,
  body.identifier,
  ...(body.errors ?? []).slice(1).map((error: { pointer: string }) => error.pointer),
];

const many = async (kind: string, items: object[], headers: Record<string, string> = {}): Promise<any[]> => {
  if (kind === 'batch') {
    const { body } = await service.client.post('/identifiers/batch', { namingAuthority: service.na, items }, headers);
    return body.items as any[];
  }
  const lines = items.map((item) => `${JSON.stringify(item)}\n`).join('');
  return sendLines(`${service.server.url}/identifiers/bulk?namingAuthority=${service.na}`, lines, headers);
};

describe('a mint of a metadata ID that an identifier has', () => {
  it('returns the identifier where each given member agrees', async () => {
    const sent = { metadataId: freshMetadataId(), target: FIRST, alternateIds: [freshPid()], state: 'active' };
    const { identifier } = await minted(sent);
    for (const again of [sent, { ...sent, onExisting: 'match' }, { metadataId: sent.metadataId }]) {
      const { status, body } = await mint(again);
      expect([status, body.identifier, body.version, 'ignored' in body]).toEqual([200, identifier, 1, false]);
    }
  });

  it('is 409 with the identifier and the members that contradict it', async () => {
    const sent = { metadataId: freshMetadataId(), target: FIRST, alternateIds: [freshPid()] };
    const { identifier } = await minted(sent);
    const other = await mint({ ...sent, target: OTHER });
    expect(other.status).toBe(409);
    expect(other.body).toMatchObject({ code: 'METADATA_ID_TAKEN', identifier, existing: pathOf(identifier) });
    expect(other.body.errors).toEqual([
      { pointer: '/metadataId', detail: `is used by ${identifier}` },
      { pointer: '/target', detail: `differs from ${identifier}, as it was minted and as it is now` },
    ]);
    expect(other.body.detail).toBe(
      `This metadata ID is used by an identifier already: ${identifier}. It has other values of these members of the request: target.`,
    );
    expect(other.headers.get('link')).toBe(`<${pathOf(identifier)}>; rel="related"`);
    expect(matched(await mint({ ...sent, target: OTHER, alternateIds: [] }))).toEqual([
      ...[409, identifier, '/target', '/alternateIds'],
    ]);
    expect((await service.client.get(pathOf(identifier))).body.version).toBe(1);
  });

  it('compares each member by itself with its value as minted or as it is now, and with none between', async () => {
    const { metadataId, alternateIds } = { metadataId: freshMetadataId(), alternateIds: [freshPid()] };
    const { identifier, path } = await minted({ metadataId, target: FIRST, alternateIds });
    const now = [freshPid(), freshPid()];
    await patch(path, { target: SECOND });
    await patch(path, { target: THIRD, alternateIds: now });
    expect(matched(await mint({ metadataId, target: FIRST, alternateIds }))).toEqual([200, identifier]);
    expect(matched(await mint({ metadataId, target: THIRD, alternateIds: now }))).toEqual([200, identifier]);
    const mixed = await mint({ metadataId, target: FIRST, alternateIds: now });
    expect([mixed.status, mixed.body.target, mixed.body.ignored]).toEqual([200, THIRD, ['target']]);
    const between = await mint({ metadataId, target: SECOND, alternateIds: [...now].reverse() });
    expect(matched(between)).toEqual([409, identifier, '/target', '/alternateIds']);
    for (const value of [FIRST, THIRD, ...alternateIds, ...now.map((pid) => pid)].map(String))
      expect(between.text).not.toContain(value);
  });

  it('compares the state and the lease', async () => {
    const [metadataId, leaseUntil] = [freshMetadataId(), NEXT_YEAR];
    const reservation = { metadataId, state: 'reserved', leaseUntil };
    const { identifier, path } = await minted(reservation);
    expect(matched(await mint({ metadataId, state: 'active' }))).toEqual([409, identifier, '/state']);
    expect((await step(path, 'activate', { target: FIRST })).status).toBe(200);
    expect(matched(await mint(reservation))).toEqual([200, identifier]);
    expect(matched(await mint({ metadataId, state: 'active', target: FIRST }))).toEqual([200, identifier]);
    expect(matched(await mint({ ...reservation, leaseUntil: inFuture(60_000) }))).toEqual([
      ...[409, identifier, '/leaseUntil'],
    ]);
  });

  it('compares the previous version', async () => {
    const [{ identifier: previous }, { identifier: another }] = [await minted(), await minted()];
    const sent = { metadataId: freshMetadataId(), previousVersion: previous };
    const { identifier } = await minted(sent);
    expect(matched(await mint({ ...sent, previousVersion: `hdl:${previous.toLowerCase()}` }))).toEqual([
      200,
      identifier,
    ]);
    expect(matched(await mint({ ...sent, previousVersion: another }))).toEqual([409, identifier, '/previousVersion']);
  });

  it('compares the GUID that it registers', async () => {
    const [metadataId, guid] = [freshMetadataId(), freshGuid()];
    const { identifier } = await minted({ metadataId, guid });
    expect(matched(await mint({ metadataId, guid: guid.toLowerCase() }))).toEqual([200, identifier]);
    expect(matched(await mint({ metadataId, guid: freshGuid(), target: OTHER }))).toEqual([
      ...[409, identifier, '/guid', '/target'],
    ]);
  });

  it('compares an imported identifier with what was imported', async () => {
    const [metadataId, guid] = [freshMetadataId(), freshGuid()];
    const record = { identifier: `${service.na}/${guid}`, metadataId, target: FIRST, version: 3 };
    const imported = await fetch(`${service.server.url}/identifiers/import`, {
      ...{ method: 'POST', headers: { 'content-type': 'application/x-ndjson' }, body: JSON.stringify(record) },
    });
    expect(await imported.text()).toContain('"imported"');
    await patch(pathOf(record.identifier), { target: SECOND });
    expect(matched(await mint({ metadataId, target: FIRST }))).toEqual([200, record.identifier]);
    expect(matched(await mint({ metadataId, target: OTHER }))).toEqual([409, record.identifier, '/target']);
  });

  it('is 409 with the tombstone of a withdrawn one, until it is reinstated', async () => {
    const sent = { metadataId: freshMetadataId(), target: FIRST };
    const { identifier, path } = await minted(sent);
    await step(path, 'withdraw', { reason: 'Deposited twice.', replacedBy: 'info:fedora/demo:kept' });
    const gone = await mint(sent);
    expect(coded(gone)).toEqual([409, 'METADATA_ID_TAKEN']);
    expect(gone.body).toMatchObject({
      ...{
        identifier,
        tombstone: { reasonCode: 'other', reason: 'Deposited twice.', replacedBy: 'info:fedora/demo:kept' },
      },
      errors: [{ pointer: '/metadataId' }],
    });
    expect(gone.body.tombstone).toEqual((await service.client.get(path)).body.tombstone);
    await step(path, 'reinstate');
    expect(matched(await mint(sent))).toEqual([200, identifier]);
  });

  it('is a replay first where it has the Idempotency-Key of the mint or of the first match', async () => {
    const sent = { metadataId: freshMetadataId(), target: FIRST };
    const [ofMint, ofMatch] = [keyed(), keyed()];
    const { body } = await mint(sent, ofMint);
    expect((await mint({ metadataId: sent.metadataId }, ofMatch)).status).toBe(200);
    await patch(pathOf(body.identifier), { target: SECOND });
    await step(pathOf(body.identifier), 'withdraw', { reason: 'x' });
    for (const [headers, status, fields] of [
      [ofMint, 201, sent],
      [ofMint, 201, { ...sent, onExisting: 'match' }],
      [ofMatch, 200, { metadataId: sent.metadataId }],
    ] as const) {
      const again = await mint(fields, headers);
      expect([again.status, again.body.identifier, again.headers.get('idempotency-replayed')]).toEqual([
        ...[status, body.identifier, 'true'],
      ]);
    }
    expect(coded(await mint({ ...sent, target: OTHER }, ofMint))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('leaves the other rules to those who ask for them', async () => {
    const metadataId = freshMetadataId();
    const { identifier } = await minted({ metadataId, target: FIRST });
    const other = { metadataId, target: SECOND };
    const returned = await mint({ ...other, onExisting: 'return' });
    expect([...matched(returned), returned.body.ignored]).toEqual([200, identifier, ['target']]);
    expect(matched(await mint({ metadataId, target: FIRST, onExisting: 'reject' }))).toEqual([409, identifier]);
    expect((await mint({ ...other, onExisting: 'update' })).body).toMatchObject({ identifier, target: SECOND });
  });

  it.each(['return', 'update', 'reject'])(
    'with onExisting "%s", names another guid and the reason of a withdrawal',
    async (onExisting) => {
      const metadataId = freshMetadataId();
      const { identifier } = await minted({ metadataId, target: FIRST });
      const sent = { metadataId, guid: freshGuid(), onExisting };
      const pointers = (await mint(sent)).body.errors.map(({ pointer }: { pointer: string }) => pointer);
      expect(pointers).toEqual(['/metadataId', '/guid']);
      await step(pathOf(identifier), 'withdraw', { reason: 'x' });
      expect((await mint(sent)).body).toMatchObject({ code: 'METADATA_ID_TAKEN', tombstone: { reason: 'x' } });
    },
  );
});

describe.each(['batch', 'stream'])('a %s of metadata IDs that identifiers have', (kind) => {
  const shown = ({ status, identifier, problem }: any) =>
    matched({ status, body: problem ?? { identifier } } as Answer);

  it('follows the same rule in each item, also between its items, and a repeat has the same results', async () => {
    const [known, twice, pid, guid] = [freshMetadataId(), freshMetadataId(), freshPid(), freshGuid()];
    const { identifier } = await minted({ metadataId: known, target: FIRST });
    const item = { metadataId: twice, target: FIRST, alternateIds: [pid], guid };
    const items = [
      ...[
        { metadataId: known, target: FIRST },
        { metadataId: known, target: OTHER },
      ],
      ...[item, item, { ...item, target: OTHER }, { metadataId: twice, alternateIds: [] }, { metadataId: twice }],
    ];
    const headers = keyed();
    const results = await many(kind, items, headers);
    const both = `${service.na}/${guid}`;
    expect(results.map(shown)).toEqual([
      ...[
        [200, identifier],
        [409, identifier, '/target'],
        [201, both],
        [200, both],
      ],
      ...[
        [409, both, '/target'],
        [409, both, '/alternateIds'],
        [200, both],
      ],
    ]);
    await patch(pathOf(identifier), { target: OTHER });
    expect((await many(kind, items, headers)).map(shown)).toEqual(results.map(shown));
  });

  it('mints the second item of a metadata ID where the first is rejected', async () => {
    const [metadataId, taken] = [freshMetadataId(), freshPid()];
    await minted({ alternateIds: [taken] });
    const results = await many(kind, [{ metadataId, alternateIds: [taken] }, { metadataId }]);
    expect(results.map(({ status }) => status as number)).toEqual([409, 201]);
  });
});

describe('an atomic batch with one metadata ID in several items', () => {
  const atomic = (items: object[]) =>
    service.client.post('/identifiers/batch?mode=atomic', { namingAuthority: service.na, items });

  it('is minted where the items agree, and rejected with the members where they do not', async () => {
    const metadataId = freshMetadataId();
    const rejected = await atomic([
      { metadataId, target: FIRST },
      { metadataId, target: OTHER },
    ]);
    expect(coded(rejected)).toEqual([422, 'BATCH_REFUSED']);
    expect(rejected.body.errors).toMatchObject([
      { pointer: '/items/1/metadataId', code: 'METADATA_ID_TAKEN' },
      { pointer: '/items/1/target', code: 'METADATA_ID_TAKEN' },
    ]);
    const { body } = await atomic([{ metadataId, target: FIRST }, { metadataId }]);
    expect(body.items.map(({ status }: { status: number }) => status)).toEqual([201, 200]);
  });
});
