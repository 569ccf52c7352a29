import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { curationOf, pathOf } from '../harness/curation.js';
import { freshGuid, freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { minted } = curationOf(service);
const PATH = `/identifiers/bulk?namingAuthority=${service.na}`;

const NEW = 'https://repo.example.org/new';
const keyed = () => ({ 'idempotency-key': randomUUID() });
type Send = (items: readonly object[], headers?: Record<string, string>) => Promise<any[]>;

const stream: Send = (items, headers = {}) =>
  sendLines(service.server.url + PATH, items.map((item) => `${JSON.stringify(item)}\n`).join(''), headers);
const batchIn =
  (mode: string): Send =>
  async (items, headers = {}) => {
    const answer = await service.client.post(
      `/identifiers/batch?mode=${mode}`,
      { namingAuthority: service.na, items },
      headers,
    );
    return answer.body.items ?? answer.body.errors;
  };
const outcomes = (results: readonly any[]) => results.map(({ status, problem }) => problem?.code ?? status);
const names = (results: readonly any[]) => results.map(({ identifier }) => identifier);
const update = (metadataId: string, alternateIds: readonly string[]) => ({
  ...{ metadataId, alternateIds },
  onExisting: 'update',
});
const alternatesOf = async (identifier: string) => (await service.client.get(pathOf(identifier))).body.alternateIds;

/** A registered object with one alternate. */
async function holder(alternate = freshPid()) {
  const metadataId = freshMetadataId();
  const { identifier } = await minted({ metadataId, alternateIds: [alternate] });
  return { metadataId, identifier, alternate };
}

const WAYS: readonly [string, Send][] = [
  ['stream', stream],
  ['batch of the mode "perItem"', batchIn('perItem')],
  ['batch of the mode "atomic"', batchIn('atomic')],
];

describe.each(WAYS)('a %s', (_, send) => {
  it.each(['update', 'match'])('mints with an alternate that an earlier item releases (%s)', async (onExisting) => {
    const { metadataId, identifier, alternate } = await holder();
    const items = [update(metadataId, []), { ...update(freshMetadataId(), [alternate]), onExisting }];
    const headers = keyed();
    const first = await send(items, headers);
    expect(outcomes(first)).toEqual([200, 201]);
    expect(await alternatesOf(identifier)).toEqual([]);
    expect(await alternatesOf(first[1].identifier)).toEqual([alternate]);
    const again = await send(items, headers);
    expect([outcomes(again)[0], names(again)]).toEqual([200, names(first)]);
  });

  it('registers a name that an earlier item releases', async () => {
    const guid = freshGuid();
    const { metadataId } = await holder(`${service.na}/${guid}`);
    expect(outcomes(await send([update(metadataId, []), { guid }]))).toEqual([200, 201]);
  });

  it('mints for many pairs of such items, and for a new version of the last one', async () => {
    const holders = await Promise.all(Array.from({ length: 30 }, () => holder()));
    const pairs = holders.flatMap(({ metadataId, alternate }) => [
      update(metadataId, []),
      { guid: freshGuid(), alternateIds: [alternate] },
    ]);
    const { guid } = pairs.at(-1) as { guid: string };
    const results = await send([...pairs, { previousVersion: `${service.na}/${guid}` }]);
    expect(outcomes(results)).toEqual([...holders.flatMap(() => [200, 201]), 201]);
    expect(results.at(-1).record.previousVersion).toBe(`hdl:${service.na}/${guid}`);
  });
});

describe.each(WAYS.slice(0, 2))('a %s rejects a mint', (_, send) => {
  it('with an alternate that only a later item releases', async () => {
    const { metadataId, alternate } = await holder();
    const items = [{ metadataId: freshMetadataId(), alternateIds: [alternate] }, update(metadataId, [])];
    expect(outcomes(await send(items))).toEqual(['ALTERNATE_ID_TAKEN', 200]);
  });

  it('with an alternate that an earlier item claims', async () => {
    const { metadataId, identifier } = await holder();
    const alternate = freshPid();
    const items = [update(metadataId, [alternate]), update(freshMetadataId(), [alternate])];
    const headers = keyed();
    const results = await send(items, headers);
    const code = send === stream ? 'ALTERNATE_ID_TAKEN' : 'DUPLICATE_IN_REQUEST';
    expect(outcomes(results)).toEqual([200, code]);
    expect(await alternatesOf(identifier)).toEqual([alternate]);
    const again = await send(items, headers);
    expect([outcomes(again), names(again)]).toEqual([[200, code], names(results)]);
  });

  it('of a name that an earlier item claims', async () => {
    const { metadataId } = await holder();
    const guid = freshGuid();
    const results = await send([update(metadataId, [`${service.na}/${guid}`]), { guid }]);
    expect(outcomes(results)).toEqual([200, send === stream ? 'ALTERNATE_ID_TAKEN' : 'DUPLICATE_IN_REQUEST']);
  });
});

describe('an atomic batch', () => {
  it('is refused if an item claims an alternate that only a later item releases', async () => {
    const { metadataId, alternate } = await holder();
    const errors = await batchIn('atomic')([{ alternateIds: [alternate] }, update(metadataId, [])]);
    expect(errors).toMatchObject([{ code: 'ALTERNATE_ID_TAKEN', pointer: '/items/0/alternateIds/0' }]);
  });
});

describe('the lines of a stream have the results of single requests', () => {
  it('if a released alternate is claimed twice', async () => {
    const { metadataId, identifier, alternate } = await holder();
    const results = await stream([
      update(metadataId, []),
      { alternateIds: [alternate] },
      update(metadataId, [alternate]),
      update(metadataId, []),
      update(freshMetadataId(), [alternate]),
    ]);
    expect(outcomes(results)).toEqual([200, 201, 'ALTERNATE_ID_TAKEN', 200, 'ALTERNATE_ID_TAKEN']);
    expect([await alternatesOf(identifier), await alternatesOf(results[1].identifier)]).toEqual([[], [alternate]]);
  });

  it('if an alternate of an earlier line is released', async () => {
    const [metadataId, alternate] = [freshMetadataId(), freshPid()];
    const results = await stream([
      update(metadataId, [alternate]),
      update(metadataId, []),
      update(freshMetadataId(), [alternate]),
    ]);
    expect(outcomes(results)).toEqual([201, 200, 201]);
    expect(await alternatesOf(results[2].identifier)).toEqual([alternate]);
  });

  it('if the second update of an identifier releases an alternate for that of another one', async () => {
    const [first, second] = [await holder(), await holder()];
    const results = await stream([
      { metadataId: first.metadataId, target: NEW, onExisting: 'update' },
      update(first.metadataId, []),
      update(second.metadataId, [first.alternate]),
    ]);
    expect(outcomes(results)).toEqual([200, 200, 200]);
  });

  it('if a later line returns an updated identifier', async () => {
    const { metadataId } = await holder();
    const fields = { metadataId, target: NEW };
    const results = await stream([
      { ...fields, onExisting: 'update' },
      { ...fields, onExisting: 'return' },
    ]);
    expect(results.map(({ status, ignored, record }) => [status, ignored, record?.version])).toEqual([
      [200, undefined, 2],
      [200, undefined, 2],
    ]);
  });

  it('if the same stream is sent several times at once', async () => {
    const holders = await Promise.all(Array.from({ length: 5 }, () => holder()));
    const lines = holders.flatMap(({ metadataId, alternate }) => [
      update(metadataId, []),
      update(freshMetadataId(), [alternate]),
    ]);
    const headers = keyed();
    const results = await Promise.all([1, 2, 3].map(() => stream(lines, headers)));
    for (const each of results) {
      expect(names(each)).toEqual(names(results[0]!));
      expect(outcomes(each).filter((outcome) => typeof outcome !== 'number')).toEqual([]);
    }
  });
});
