import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { curationOf } from '../harness/curation.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { history, minted, patch, step } = curationOf(service);

/** A naming authority of this service that ignores case, and a foreign one. */
const FOLDED = `10.${service.na}`;
const DOI = `10.8070.${service.na}`;
const OTHER = 'C58FB49EB1F848F0A606E84CEF294BE6';

/** Two notations of one name: the first one is stored. */
const notations = (end: string): [string, string][] => [
  [`hdl:${DOI}/abc${end}`, `https://doi.org/${DOI}/ABC${end}`],
  [`Ark/q${end}`, `hdl:ARK/q${end}`],
  [`hdl:${FOLDED}/x${end}`, `${FOLDED}/X${end}`],
  [`hdl:${service.na}/${OTHER}`, `${service.na}/${OTHER.toLowerCase()}`],
];

const keyed = () => ({ 'idempotency-key': randomUUID() });

beforeAll(async () => {
  const created = await service.client.post('/naming-authorities', {
    namingAuthority: FOLDED,
    profile: 'handle',
    caseInsensitive: true,
  });
  expect(created.status).toBe(201);
});

describe.each(notations('-1'))('%s and %s', (one, other) => {
  const kinds = [{ metadataId: one }, { alternateIds: [one] }, { previousVersion: one }];
  const replaced = (value: string | string[]) => (typeof value === 'string' ? other : [other]);
  const inOther = (values: object) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, replaced(value)]));
  const isRegisteredHere = one.includes(FOLDED) || one.includes(service.na);
  const usable = kinds.filter((values) => !('previousVersion' in values) || !isRegisteredHere);

  it.each(usable)('are one name in a PATCH of %j: no version, no event, and a replay of its key', async (values) => {
    const { identifier, path } = await minted();
    const headers = keyed();
    const first = await patch(path, values, headers);
    expect(coded(first)).toEqual([200, undefined]);
    const [name] = Object.keys(values);
    const replay = await patch(path, inOther(values), headers);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    const again = await patch(path, inOther(values));
    expect(again.body).toMatchObject({ version: 2, [name!]: first.body[name!] });
    const changed = await patch(path, { ...inOther(values), target: 'https://a.example/' });
    expect(changed.body).toMatchObject({ version: 3, [name!]: first.body[name!] });
    expect((await history(identifier)).map(({ version }) => version)).toEqual([1, 2, 3]);
    expect(coded(await patch(path, { ...values, [name!]: null }))).toEqual([200, undefined]);
  });

  it('are one name in a stream of changes', async () => {
    const { identifier, path } = await minted();
    const url = `${service.server.url}/identifiers/changes`;
    const headers = keyed();
    const send = (metadataId: string, more: Record<string, string> = headers) =>
      sendLines(url, `${JSON.stringify({ identifier, metadataId })}\n`, more);
    const [first] = await send(one);
    const [replay] = await send(other);
    const [again] = await send(other, {});
    expect([first, replay, again].map(({ outcome }) => outcome)).toEqual(['changed', 'changed', 'unchanged']);
    expect((await service.client.get(path)).body).toMatchObject({ version: 2, metadataId: first.record?.metadataId });
    await patch(path, { metadataId: null });
  });

  it('are one name in an import', async () => {
    const { path } = await minted({ metadataId: one, alternateIds: [one] });
    const { body } = await service.client.get(path);
    const { identifier, version, createdAt, updatedAt } = body;
    const line = { identifier, version, createdAt, updatedAt, metadataId: other, alternateIds: [other] };
    const url = `${service.server.url}/identifiers/import`;
    for (const query of ['?dryRun=true', '']) {
      const [result] = await sendLines(`${url}${query}`, `${JSON.stringify(line)}\n`);
      expect([query, result.status, result.outcome]).toEqual([query, 200, 'unchanged']);
    }
    await patch(path, { metadataId: null, alternateIds: [] });
  });
});

describe('a name with another query or fragment (CID-18, CID-21)', () => {
  const guid = () => randomUUID().replaceAll('-', '').toUpperCase();
  const names = (name: string) => ({ metadataId: name, alternateIds: [name] });

  it.each(['77.88', service.na, `${service.na}.1`])('under %s is another value of the same key', async (prefix) => {
    const name = `hdl:${prefix}/${guid()}`;
    const { identifier, path } = await minted(names(`${name}?v=1`));
    for (const [index, end] of ['?v=2', '', '#top', '?v=1#top'].entries()) {
      const changed = await patch(path, names(`${name}${end}`));
      expect(changed.body).toMatchObject({ ...names(`${name}${end}`), version: index + 2 });
    }
    expect((await patch(path, names(`${name}?v=1#top`))).body.version).toBe(5);
    const found = await service.client.get(`/identifiers?metadataId=${encodeURIComponent(name)}`);
    expect(found.body.items).toMatchObject([{ identifier }]);
    const url = `${service.server.url}/identifiers`;
    const line = { identifier, metadataId: `${name}?v=3` };
    const [changed] = await sendLines(`${url}/changes`, `${JSON.stringify(line)}\n`);
    expect(changed).toMatchObject({ outcome: 'changed', record: { metadataId: `${name}?v=3` } });
    const { body } = await service.client.get(path);
    const { version, createdAt, updatedAt } = body;
    const stored = { identifier, version, createdAt, updatedAt, ...names(`${name}?v=3`) };
    const [imported] = await sendLines(`${url}/import`, `${JSON.stringify({ ...stored, metadataId: name })}\n`);
    expect(imported?.status).toBe(409);
    const again = await service.client.mint({ namingAuthority: service.na, metadataId: `${name}?v=9` });
    expect(again).toMatchObject({ status: 200, body: { identifier, metadataId: `${name}?v=3` } });
  });
});

describe('the replacement of a withdrawal', () => {
  it('is one name in two notations', async () => {
    const localName = `x${OTHER}`;
    const registered = await service.client.post('/identifiers', { namingAuthority: FOLDED, localName });
    expect(registered.status).toBe(201);
    const { path } = await minted();
    const headers = keyed();
    const withdraw = (replacedBy: string) => step(path, 'withdraw', { reason: 'twice', replacedBy }, headers);
    expect((await withdraw(`${FOLDED}/${localName}`)).status).toBe(200);
    const replay = await withdraw(`hdl:${FOLDED}/${localName.toUpperCase()}`);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(coded(await withdraw(`${FOLDED}/another`))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });
});
