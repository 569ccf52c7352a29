import { describe, expect, it } from '@jest/globals';
import { freshGuid, freshMetadataId } from '../harness/fresh-names.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';
import { openStream, sendLines } from '../harness/stream.js';

const service = useService({ NAMING_AUTHORITIES: '100.102' });
const { created } = authoritiesOf(service);

const NA = '100.102';
const bulk = (items: readonly object[], headers: Record<string, string> = {}) =>
  sendLines(
    `${service.client.base}/identifiers/bulk?namingAuthority=${NA}`,
    items.map((each) => `${JSON.stringify(each)}\n`).join(''),
    headers,
  );
const batch = (items: readonly object[], mode = 'perItem') =>
  service.client.post(`/identifiers/batch?mode=${mode}`, { namingAuthority: NA, items });
const outcomes = (results: readonly any[]) => results.map(({ status, problem }) => problem?.code ?? status);

/** Objects of two versions; the second one follows at once, and names the first. */
const pairs = (count: number) =>
  Array.from({ length: count }, () => freshGuid()).flatMap((guid) => [{ guid }, { previousVersion: `${NA}/${guid}` }]);

/** Versions of one object, each of which names the one before. */
const chain = (length: number) => {
  const guids = Array.from({ length }, () => freshGuid());
  return guids.map((guid, index) => ({ guid, ...(index > 0 && { previousVersion: `hdl:${NA}/${guids[index - 1]}` }) }));
};
const newerVersions = async (guid: string) =>
  (await service.client.get(`/identifiers/${NA}/${guid}`)).body.newerVersions;

describe('a line of a stream of mints', () => {
  it('can name an earlier line as its previous version, in the same chunk or in the one before', async () => {
    const lines = await bulk(pairs(600));
    expect(new Set(outcomes(lines))).toEqual(new Set([201]));
    const versions = chain(12);
    expect(outcomes(await bulk(versions))).toEqual(Array.from({ length: 12 }, () => 201));
    expect(await newerVersions(versions[10]!.guid)).toEqual([`${NA}/${versions[11]!.guid}`]);
    // 500 lines are a chunk, and the next one is read while the first is written.
    const guids = Array.from({ length: 500 }, () => freshGuid());
    const far = [
      ...guids.map((guid) => ({ guid })),
      ...guids.map((guid) => ({ previousVersion: `info:hdl/${NA}/${guid}` })),
    ];
    expect(new Set(outcomes(await bulk(far)))).toEqual(new Set([201]));
  });

  it('has the same result when the stream is repeated, also after an interruption', async () => {
    const items = [...pairs(2), ...chain(3)];
    const headers = { 'idempotency-key': freshGuid() };
    const first = await bulk(items.slice(0, 5), headers);
    const second = await bulk(items, headers);
    const third = await bulk(items, headers);
    const seven = Array.from({ length: 7 }, () => 201);
    expect([outcomes(first), outcomes(second), outcomes(third)]).toEqual([seven.slice(2), seven, seven]);
    const names = [first, second, third].map((lines) => lines.map(({ identifier }) => identifier));
    expect([names[1]!.slice(0, 5), names[2]]).toEqual([names[0], names[1]]);
  });

  it('cannot name a later line, and none that was rejected', async () => {
    const [later, taken] = [freshGuid(), freshGuid()];
    await service.client.mint({ guid: taken, metadataId: freshMetadataId() });
    const metadataId = freshMetadataId();
    const lost = freshGuid();
    const lines = await bulk([
      { previousVersion: `${NA}/${later}` },
      { guid: later },
      { metadataId },
      { guid: lost, metadataId, onExisting: 'reject' },
      { previousVersion: `${NA}/${lost}` },
      { guid: freshGuid(), previousVersion: `${NA}/${lost}` },
    ]);
    expect(outcomes(lines)).toEqual([
      ...['INVALID_PREDECESSOR', 201, 201, 'METADATA_ID_TAKEN', 'INVALID_PREDECESSOR', 'INVALID_PREDECESSOR'],
    ]);
  });

  it('keeps its metadata ID from a later line while it waits for its previous version', async () => {
    const [guid, metadataId] = [freshGuid(), freshMetadataId()];
    const lines = await bulk([
      { guid },
      { previousVersion: `${NA}/${guid}`, metadataId },
      { metadataId, onExisting: 'reject' },
    ]);
    expect(outcomes(lines)).toEqual([201, 201, 'METADATA_ID_TAKEN']);
  });

  it('can name an earlier line of the other case where the naming authority ignores the case', async () => {
    const namingAuthority = await created({ profile: 'handle', caseInsensitive: true });
    const lines = await bulk([
      { namingAuthority, localName: 'report/1' },
      { namingAuthority, localName: 'report/2', previousVersion: `${namingAuthority}/REPORT/1` },
    ]);
    expect(outcomes(lines)).toEqual([201, 201]);
    expect(lines[1].record.previousVersion).toBe(`hdl:${namingAuthority}/report/1`);
  });

  it('is minted at once, even if the previous version of another line is not registered', async () => {
    const stream = openStream(`${service.client.base}/identifiers/bulk?namingAuthority=${NA}`);
    const [guid, other] = [freshGuid(), freshGuid()];
    stream.request.write(`${JSON.stringify({ guid })}\n{"previousVersion":"${NA}/${other}"}\n`);
    const results = [(await stream.lines.next()).value, (await stream.lines.next()).value];
    stream.request.end(`{"previousVersion":"${NA}/${guid}"}\n`);
    results.push((await stream.lines.next()).value);
    expect(outcomes(results)).toEqual([201, 'INVALID_PREDECESSOR', 201]);
  });
});

describe.each(['perItem', 'atomic'])('an item of a batch (%s)', (mode) => {
  it('can name an earlier item as its previous version', async () => {
    const items = [...pairs(300), ...chain(3)];
    const { body } = await batch(items, mode);
    expect(new Set(outcomes(body.items))).toEqual(new Set([201]));
    expect(body.items.at(-1).record.previousVersion).toBe(`hdl:${NA}/${items.at(-2)!.guid}`);
  });

  it('can name an earlier item of another statement', async () => {
    const guid = freshGuid();
    const items = [{ guid, metadataId: freshMetadataId(), onExisting: 'update' }, ...pairs(300)];
    const { body } = await batch([...items, { previousVersion: `${NA}/${guid}` }], mode);
    expect(new Set(outcomes(body.items))).toEqual(new Set([201]));
  });
});

describe('an atomic batch', () => {
  it('is refused if more than 100 items each name the one before', async () => {
    const versions = chain(101);
    const { status, body } = await batch(versions, 'atomic');
    expect([status, body.errors]).toEqual([
      422,
      [expect.objectContaining({ code: 'INVALID_REQUEST', pointer: '/items/100' })],
    ]);
    expect((await batch(versions.slice(0, 100), 'atomic')).status).toBe(200);
  });

  it('is refused if an item names a later one as its previous version', async () => {
    const guid = freshGuid();
    const { status, body } = await batch([{ previousVersion: `${NA}/${guid}` }, { guid }], 'atomic');
    expect([status, body.code, body.errors[0].code]).toEqual([422, 'BATCH_REFUSED', 'INVALID_PREDECESSOR']);
  });
});
