import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Answer, coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { query, withoutTriggers } from '../harness/database.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { minted, patch, step } = curationOf(service);
const PATH = `/identifiers/bulk?namingAuthority=${service.na}`;

const [OLD, NEW, OTHER] = ['old', 'new', 'other'].map((name) => `https://repo.example.org/${name}`);
const keyed = () => ({ 'idempotency-key': randomUUID() });

const current = async (identifier: string) => (await service.client.get(pathOf(identifier))).body;
const bulk = (lines: readonly object[], headers: Record<string, string> = {}) =>
  sendLines(service.server.url + PATH, lines.map((line) => `${JSON.stringify(line)}\n`).join(''), headers);
const batch = (items: readonly object[], mode = 'perItem', headers: Record<string, string> = {}) =>
  service.client.post(`/identifiers/batch?mode=${mode}`, { namingAuthority: service.na, items }, headers);
const problemOf = ({ status, problem }: any) => [status, problem?.code, problem?.errors?.[0]?.pointer];
const named = ({ identifier }: any): string => identifier;
const itemsOf = ({ body }: Answer): any[] => body.items;

describe('a batch with onExisting "update"', () => {
  const itemsFor = async () => {
    const [known, unknown, withdrawn] = [freshMetadataId(), freshMetadataId(), freshMetadataId()];
    const first = await minted({ metadataId: known, target: OLD });
    const last = await minted({ metadataId: withdrawn, target: OLD });
    await step(last.path, 'withdraw', { reason: 'x' });
    const fields = { target: NEW, onExisting: 'update' };
    const items = [{ metadataId: known, ...fields }, {}, { metadataId: unknown, ...fields }];
    return { first, items, rejected: { metadataId: withdrawn, ...fields } };
  };

  it('mints, updates and rejects each item on its own, and a repeat changes nothing', async () => {
    const { first, items, rejected } = await itemsFor();
    const headers = keyed();
    const answer = await batch([...items, rejected], 'perItem', headers);
    expect(itemsOf(answer).map(problemOf)).toEqual([
      [200, undefined, undefined],
      [201, undefined, undefined],
      [201, undefined, undefined],
      [409, 'WRONG_STATE', undefined],
    ]);
    expect(named(itemsOf(answer)[0])).toBe(first.identifier);
    expect(await current(first.identifier)).toMatchObject({ target: NEW, version: 2 });
    await patch(first.path, { target: OTHER });
    const again = await batch([...items, rejected], 'perItem', headers);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(itemsOf(again).map(({ status }) => status)).toEqual([200, 201, 201, 409]);
    expect(itemsOf(again).map(named)).toEqual(itemsOf(answer).map(named));
    expect(await current(first.identifier)).toMatchObject({ target: OTHER, version: 3 });
  });

  it.each(['perItem', 'atomic'])('takes an alternate that an earlier item of a batch releases (%s)', async (mode) => {
    const [first, second] = [freshMetadataId(), freshMetadataId()];
    const alternate = freshPid();
    const holder = await minted({ metadataId: first, alternateIds: [alternate] });
    await minted({ metadataId: second });
    const release = { metadataId: first, alternateIds: [], onExisting: 'update' };
    const take = { metadataId: second, alternateIds: [alternate], onExisting: 'update' };
    const reversed = await batch([take, release], 'perItem');
    expect(itemsOf(reversed).map(problemOf)).toEqual([
      [409, 'ALTERNATE_ID_TAKEN', '/alternateIds/0'],
      [200, undefined, undefined],
    ]);
    expect((await patch(pathOf(holder.identifier), { alternateIds: [alternate] })).status).toBe(200);
    const key = keyed();
    for (let sent = 0; sent < 2; sent++) {
      const answer = await batch([release, take], mode, key);
      expect(itemsOf(answer).map(problemOf)).toEqual([
        [200, undefined, undefined],
        [200, undefined, undefined],
      ]);
    }
  });

  it('in the mode "atomic" updates all or nothing', async () => {
    const { first, items, rejected } = await itemsFor();
    const answer = await batch([...items, rejected], 'atomic');
    expect(coded(answer)).toEqual([422, 'BATCH_REFUSED']);
    expect(answer.body.errors).toMatchObject([{ code: 'WRONG_STATE', pointer: '/items/3' }]);
    expect(await current(first.identifier)).toMatchObject({ target: OLD, version: 1 });
    expect((await batch(items, 'atomic')).status).toBe(200);
    expect(await current(first.identifier)).toMatchObject({ target: NEW, version: 2 });
  });

  it('updates hundreds of identifiers, and takes the names of expired reservations', async () => {
    const metadataIds = Array.from({ length: 600 }, freshMetadataId);
    await batch(metadataIds.map((metadataId) => ({ metadataId })));
    const alternate = freshPid();
    const held = await minted({ alternateIds: [alternate], state: 'reserved', leaseUntil: NEXT_YEAR });
    await query(
      withoutTriggers(service.database.url),
      `UPDATE identifier SET lease_until = '2026-01-01' WHERE upper(replace(guid::text, '-', '')) = $1`,
      [held.body.guid],
    );
    const items = metadataIds.map((metadataId, i) => ({
      ...{ metadataId, target: `https://repo.example.org/${i}`, onExisting: 'update' },
      ...(i === 555 && { alternateIds: [alternate] }),
    }));
    const answer = await batch(items, 'atomic');
    expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
    const results = itemsOf(answer);
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await current(named(results[555]))).toMatchObject({
      target: 'https://repo.example.org/555',
      alternateIds: [alternate],
      version: 2,
    });
  });

  it('two at once that mint and update the same metadata IDs leave one identifier for each', async () => {
    const metadataIds = Array.from({ length: 50 }, freshMetadataId);
    const itemsOfBatch = (name: string) =>
      metadataIds.map((metadataId) => ({
        metadataId,
        target: `https://repo.example.org/${name}`,
        onExisting: 'update',
      }));
    const answers = await Promise.all(['a', 'b'].map((name) => batch(itemsOfBatch(name), 'atomic')));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(answers.map((answer) => itemsOf(answer)[0].status).sort()).toEqual([200, 201]);
    expect(itemsOf(answers[0]!).map(named)).toEqual(itemsOf(answers[1]!).map(named));
  });
});

describe('a stream with onExisting "update"', () => {
  it('mints and updates its lines in their order, and a repeat changes nothing', async () => {
    const [known, twice, withdrawn] = [freshMetadataId(), freshMetadataId(), freshMetadataId()];
    const unchanged = freshMetadataId();
    await minted({ metadataId: unchanged, target: OLD });
    const first = await minted({ metadataId: known, target: OLD });
    const { path } = await minted({ metadataId: withdrawn });
    await step(path, 'withdraw', { reason: 'x' });
    const line = (metadataId: string, target: string) => ({ metadataId, target, onExisting: 'update' });
    const lines = [
      ...[line(known, NEW!), line(twice, OLD!), line(twice, NEW!), line(withdrawn, NEW!), line(known, OTHER!)],
      { metadataId: unchanged, target: NEW, onExisting: 'return' },
    ];
    const headers = keyed();
    const results = await bulk(lines, headers);
    expect(results.map(problemOf)).toEqual([
      [200, undefined, undefined],
      [201, undefined, undefined],
      [200, undefined, undefined],
      [409, 'WRONG_STATE', undefined],
      [200, undefined, undefined],
      [200, undefined, undefined],
    ]);
    expect(results[5].ignored).toEqual(['target']);
    expect(await current(first.identifier)).toMatchObject({ target: OTHER, version: 3 });
    expect(await current(named(results[1]))).toMatchObject({ target: NEW, version: 2 });

    await patch(first.path, { target: OLD });
    expect((await step(path, 'reinstate')).status).toBe(200);
    const again = await bulk(lines, headers);
    expect(again.map(problemOf)).toEqual(results.map(problemOf));
    const [none, differs] = [undefined, ['target']];
    expect(again.map(({ ignored }) => ignored)).toEqual([differs, differs, none, none, differs, differs]);
    expect(await current(first.identifier)).toMatchObject({ target: OLD, version: 4 });
  });

  it('rejects only the lines whose alternates are taken', async () => {
    const metadataIds = Array.from({ length: 30 }, freshMetadataId);
    const taken = freshPid();
    await minted({ alternateIds: [taken] });
    await batch(metadataIds.map((metadataId) => ({ metadataId })));
    const results = await bulk(
      metadataIds.map((metadataId, i) => ({
        ...{ metadataId, onExisting: 'update' },
        alternateIds: [i % 10 === 3 ? taken : freshPid()],
      })),
    );
    expect(results.map(problemOf)).toEqual(
      metadataIds.map((_, i) =>
        i % 10 === 3 ? [409, 'ALTERNATE_ID_TAKEN', '/alternateIds/0'] : [200, undefined, undefined],
      ),
    );
  });
});

describe('onExisting "return"', () => {
  it('names them in each item of a batch and each line of a stream, also with return=minimal', async () => {
    const metadataId = freshMetadataId();
    const { identifier } = await minted({ metadataId, target: OLD });
    const items = [{ metadataId, target: NEW, onExisting: 'return' }, {}];
    const minimal = { prefer: 'return=minimal' };
    const key = keyed();
    const whole = await batch(items, 'perItem', key);
    const all = [
      itemsOf(whole),
      itemsOf(await batch(items, 'perItem', key)),
      itemsOf(await batch(items, 'perItem', minimal)),
      await bulk(items),
      await bulk(items, minimal),
    ];
    for (const [first, second] of all) {
      expect([first.status, named(first), first.ignored]).toEqual([200, identifier, ['target']]);
      expect([second.status, 'ignored' in second]).toEqual([201, false]);
    }
  });
});
