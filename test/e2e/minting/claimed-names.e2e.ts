import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Answer } from '../harness/client.js';
import { linesIn, ndjson, sendChanges } from '../harness/changes.js';
import { curationOf } from '../harness/curation.js';
import { query, withoutTriggers } from '../harness/database.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { minted, patch, step } = curationOf(service);

const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();
const rejection = ({ status, body }: Answer) => [status, body.code, body.errors?.[0].pointer, body.existing];
const registered = async (fields: object): Promise<Answer> => {
  const answer = await service.client.mint(fields);
  expect(answer.status).toBe(201);
  return answer;
};

/** Sends lines to an operation. @returns the results. */
async function stream(path: string, ...lines: readonly object[]): Promise<any[]> {
  const headers = { 'content-type': 'application/x-ndjson' };
  const answer = await fetch(service.server.url + path, { method: 'POST', headers, body: ndjson(...lines) });
  expect(answer.status).toBe(200);
  return linesIn(await answer.text());
}

const bulk = (...lines: readonly object[]) =>
  stream(`/identifiers/bulk?namingAuthority=${encodeURIComponent(service.na)}`, ...lines);
const imported = (identifier: string, alternateIds: readonly string[] = []) => ({
  ...{ identifier, alternateIds, state: 'active', version: 1 },
  ...{ createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' },
});
const importOf = (...lines: readonly object[]) => stream('/identifiers/import', ...lines);

/** A naming authority of the profile "handle" below the first one, for both case rules. */
const exact = () => `${service.na}.1`;
const folding = () => `${service.na}.2`;

beforeAll(async () => {
  for (const [namingAuthority, caseInsensitive] of [
    [exact(), false],
    [folding(), true],
  ] as const) {
    const fields = { namingAuthority, profile: 'handle', caseInsensitive, storesHandleValues: true };
    expect((await service.client.post('/naming-authorities', fields)).status).toBe(201);
  }
});

describe('the identifier of another object is no alternate', () => {
  const spellings = (identifier: string) => [
    ...[identifier, `hdl:${identifier}`, `info:hdl/${identifier}`, `https://hdl.handle.net/${identifier}`],
    identifier.toLowerCase(),
  ];

  it('of a mint, in any form, and the problem names the identifier', async () => {
    const { identifier } = (await registered({})).body;
    for (const spelling of spellings(identifier)) {
      const answer = await service.client.mint({ alternateIds: ['demo:unused', spelling] });
      expect(rejection(answer)).toEqual([409, 'ALTERNATE_ID_TAKEN', '/alternateIds/1', `/identifiers/${identifier}`]);
      expect(answer.headers.get('link')).toBe(`</identifiers/${identifier}>; rel="related"`);
    }
    // Under another naming authority too.
    const other = await service.client.mint({ namingAuthority: service.other, alternateIds: [identifier] });
    expect(rejection(other)[1]).toBe('ALTERNATE_ID_TAKEN');
  });

  it('by the case rule of its naming authority', async () => {
    await registered({ namingAuthority: exact(), localName: 'One/Two' });
    await registered({ namingAuthority: folding(), localName: 'One/Two' });
    const codes = async (alternateId: string) => {
      const { status, body } = await service.client.mint({ alternateIds: [alternateId] });
      return [status, body.existing];
    };
    expect(await codes(`${exact()}/One/Two`)).toEqual([409, `/identifiers/${exact()}%2FOne%2FTwo`]);
    expect(await codes(`${folding()}/ONE/two`)).toEqual([409, `/identifiers/${folding()}%2FOne%2FTwo`]);
    expect((await codes(`${exact()}/ONE/two`))[0]).toBe(201);
  });

  it('of an item of a batch, a line of a stream, and an import', async () => {
    const { identifier } = (await registered({})).body;
    const taken = [409, 'ALTERNATE_ID_TAKEN', '/alternateIds/0', `/identifiers/${identifier}`];
    const batch = await service.client.post('/identifiers/batch', {
      namingAuthority: service.na,
      items: [{}, { alternateIds: [identifier] }],
    });
    const [free, rejected] = batch.body.items;
    expect([free.status, rejection({ ...rejected, body: rejected.problem })]).toEqual([201, taken]);
    const [line] = await bulk({ alternateIds: [identifier] });
    expect(rejection({ ...line, body: line.problem })).toEqual(taken);
    const [result] = await importOf(imported(`${service.na}/${freshGuid()}`, [identifier]));
    expect(rejection({ ...result, body: result.problem })).toEqual(taken);
  });

  it('of a line of an import and its dry run, as a claimed name is no identifier of them', async () => {
    const claimed = `${service.na}/${freshGuid()}`;
    const { identifier } = (await registered({ alternateIds: [claimed] })).body;
    for (const query of ['?dryRun=true', '']) {
      const lines = [imported(claimed), imported(`${service.na}/${freshGuid()}`, [identifier])];
      const results = await stream(`/identifiers/import${query}`, ...lines);
      const existing = `/identifiers/${identifier}`;
      expect(
        results
          .filter(({ line }) => line !== undefined)
          .map(({ status, problem }) => [status, problem?.code, problem?.existing]),
      ).toEqual([
        [409, 'ALTERNATE_ID_TAKEN', existing],
        [409, 'ALTERNATE_ID_TAKEN', existing],
      ]);
    }
  });

  it('of a PATCH, a line of changes, its dry run, and an upsert', async () => {
    const other = (await registered({})).body.identifier;
    const { identifier, path, body } = await minted({
      metadataId: `demo:${randomUUID()}`,
      alternateIds: ['demo:kept-1'],
    });
    const taken = [409, 'ALTERNATE_ID_TAKEN', '/alternateIds/1', `/identifiers/${other}`];
    const alternateIds = ['demo:kept-1', other];
    expect(rejection(await patch(path, { alternateIds }))).toEqual(taken);
    for (const query of ['', '?dryRun=true']) {
      const { lines } = await sendChanges(service.client, ndjson({ identifier, alternateIds }), { query });
      expect(rejection({ ...lines[0], body: lines[0].problem })).toEqual(taken);
    }
    const upsert = { metadataId: body.metadataId, onExisting: 'update', alternateIds };
    expect(rejection(await service.client.mint(upsert))).toEqual(taken);
    const batch = await service.client.post('/identifiers/batch', { namingAuthority: service.na, items: [upsert] });
    const [item] = batch.body.items;
    expect(rejection({ ...item, body: item.problem })).toEqual(taken);
    const [line] = await bulk(upsert);
    expect(rejection({ ...line, body: line.problem })).toEqual(taken);
    expect((await service.client.get(path)).body).toMatchObject({
      version: 1,
      alternateIds: ['info:fedora/demo:kept-1'],
    });
  });

  it('of a reservation, also at its activation', async () => {
    const other = (await registered({})).body.identifier;
    const leaseUntil = new Date(Date.now() + 600_000).toISOString();
    const reserved = { state: 'reserved', leaseUntil };
    expect(rejection(await service.client.mint({ ...reserved, alternateIds: [other] }))[1]).toBe('ALTERNATE_ID_TAKEN');
    const { path } = await minted(reserved);
    expect(rejection(await step(path, 'activate', { alternateIds: [other] }))).toEqual([
      ...[409, 'ALTERNATE_ID_TAKEN', '/alternateIds/0', `/identifiers/${other}`],
    ]);
  });

  it('also where the other one is withdrawn or its lease has ended: its name stays its own', async () => {
    const { path, identifier } = await minted();
    await step(path, 'withdraw', { reason: 'test' });
    expect(rejection(await service.client.mint({ alternateIds: [identifier] }))[1]).toBe('ALTERNATE_ID_TAKEN');
    const lapsing = await minted({ state: 'reserved', leaseUntil: new Date(Date.now() + 600_000).toISOString() });
    await query(
      withoutTriggers(service.database.url),
      'UPDATE identifier SET lease_until = created_at WHERE guid = $1',
      [lapsing.identifier.split('/')[1]],
    );
    expect(rejection(await service.client.mint({ alternateIds: [lapsing.identifier] }))[1]).toBe('ALTERNATE_ID_TAKEN');
  });

  it('but an identifier can have itself as an alternate, which changes nothing', async () => {
    const guid = freshGuid();
    const { body } = await registered({ guid, alternateIds: [`${service.na}/${guid}`] });
    expect(body.alternateIds).toEqual([`hdl:${service.na}/${guid}`]);
    const { path, identifier } = await minted();
    expect((await patch(path, { alternateIds: [identifier] })).body.alternateIds).toEqual([`hdl:${identifier}`]);
    const { lines } = await sendChanges(
      service.client,
      ndjson({ identifier, alternateIds: [identifier, 'demo:own-2'] }),
    );
    expect(lines[0].status).toBe(200);
  });
});

describe('an alternate of another object cannot be registered', () => {
  it('by a mint with a GUID or a local name, a batch, a stream and an import', async () => {
    const [guid, localName] = [freshGuid(), `Old/${randomUUID()}`];
    const alternateIds = [`${service.other}/${guid}`, `${exact()}/${localName}`];
    const holder = `/identifiers/${(await registered({ alternateIds })).body.identifier}`;
    const byGuid = { namingAuthority: service.other, guid };
    const byName = { namingAuthority: exact(), localName };
    expect(rejection(await service.client.mint(byGuid))).toEqual([409, 'ALTERNATE_ID_TAKEN', '/guid', holder]);
    expect(rejection(await service.client.mint(byName))).toEqual([409, 'ALTERNATE_ID_TAKEN', '/localName', holder]);
    const batch = await service.client.post('/identifiers/batch', { items: [byGuid, byName] });
    const lines = [...batch.body.items, ...(await bulk(byGuid, byName))];
    expect(lines.map(({ status, problem }) => rejection({ status, body: problem } as Answer))).toEqual([
      [409, 'ALTERNATE_ID_TAKEN', '/guid', holder],
      [409, 'ALTERNATE_ID_TAKEN', '/localName', holder],
      [409, 'ALTERNATE_ID_TAKEN', '/guid', holder],
      [409, 'ALTERNATE_ID_TAKEN', '/localName', holder],
    ]);
    const [line] = await importOf(imported(alternateIds[0]!));
    expect(rejection({ ...line, body: line.problem })).toEqual([409, 'ALTERNATE_ID_TAKEN', '/identifier', holder]);
  });

  it('by a Handle client', async () => {
    const localName = randomUUID();
    await registered({ alternateIds: [`${exact()}/${localName}`] });
    const value = { index: 1, type: 'URL', data: { format: 'string', value: 'https://example.org/' } };
    const put = await service.client.send(
      'PUT',
      `/api/handles/${exact()}/${localName}`,
      { 'content-type': 'application/json' },
      JSON.stringify([value]),
    );
    expect([put.status, put.body.message]).toEqual([409, expect.stringContaining('is an alternate identifier of')]);
  });

  it('that a PATCH, a line of changes, an upsert or an import gave it', async () => {
    const give = {
      patch: async (alternateIds: string[]) => patch((await minted()).path, { alternateIds }),
      changes: async (alternateIds: string[]) => {
        const { identifier } = await minted();
        return (await sendChanges(service.client, ndjson({ identifier, alternateIds }))).lines[0];
      },
      upsert: async (alternateIds: string[]) => {
        const metadataId = `demo:${randomUUID()}`;
        await minted({ metadataId });
        return service.client.mint({ metadataId, alternateIds, onExisting: 'update' });
      },
      import: async (alternateIds: string[]) =>
        (await importOf(imported(`${service.na}/${freshGuid()}`, alternateIds)))[0],
    };
    for (const [way, run] of Object.entries(give)) {
      const guid = freshGuid();
      expect([way, (await run([`${service.na}/${guid}`])).status]).toEqual([way, way === 'import' ? 201 : 200]);
      expect([way, ...rejection(await service.client.mint({ guid }))].slice(0, 4)).toEqual([
        ...[way, 409, 'ALTERNATE_ID_TAKEN', '/guid'],
      ]);
    }
  });

  it('until the alternate is removed; one that is kept stays claimed', async () => {
    const [remaining, removed] = [freshGuid(), freshGuid()];
    const of = (guid: string) => `hdl:${service.na}/${guid}`;
    const { path } = await minted({ alternateIds: [of(remaining), of(removed)] });
    expect((await patch(path, { alternateIds: ['demo:new-1', of(remaining).toLowerCase()] })).status).toBe(200);
    expect((await service.client.mint({ guid: remaining })).status).toBe(409);
    expect((await service.client.mint({ guid: removed })).status).toBe(201);
  });

  it('also while its holder is withdrawn, so that a reinstatement needs no free names', async () => {
    const guid = freshGuid();
    const { path } = await minted({ alternateIds: [`${service.na}/${guid}`] });
    await step(path, 'withdraw', { reason: 'test' });
    expect((await service.client.mint({ guid })).body.code).toBe('ALTERNATE_ID_TAKEN');
    expect((await step(path, 'reinstate', undefined)).status).toBe(200);
  });

  it('but an expired or released reservation claims nothing', async () => {
    const [first, second] = [freshGuid(), freshGuid()];
    const reserve = (guid: string) =>
      minted({
        ...{ state: 'reserved', leaseUntil: new Date(Date.now() + 600_000).toISOString() },
        alternateIds: [`${service.na}/${guid}`],
      });
    const lapsing = await reserve(first);
    expect((await service.client.mint({ guid: first })).status).toBe(409);
    await query(
      withoutTriggers(service.database.url),
      'UPDATE identifier SET lease_until = created_at WHERE guid = $1',
      [lapsing.identifier.split('/')[1]],
    );
    expect((await service.client.mint({ guid: first })).status).toBe(201);
    await step((await reserve(second)).path, 'withdraw', { reason: 'test' });
    expect((await service.client.mint({ guid: second })).status).toBe(201);
  });
});

describe('items of one batch', () => {
  it('conflict where one has the name of the other as an alternate, and not where they have an alternate in common', async () => {
    const [guid, other] = [freshGuid(), freshGuid()];
    const items = [
      { guid },
      { alternateIds: [`${service.na}/${guid}`] },
      { alternateIds: [`${service.na}/${other}`] },
      { namingAuthority: service.other, alternateIds: [`hdl:${service.na}/${other}`] },
      { guid: other },
    ];
    const { body } = await service.client.post('/identifiers/batch', { namingAuthority: service.na, items });
    expect(body.items.map(({ status, problem }: any) => [status, problem?.code, problem?.duplicateOf])).toEqual([
      [201, undefined, undefined],
      [422, 'DUPLICATE_IN_REQUEST', 0],
      [201, undefined, undefined],
      [201, undefined, undefined],
      [422, 'DUPLICATE_IN_REQUEST', 2],
    ]);
  });

  it('of a stream are decided in their order', async () => {
    const guid = freshGuid();
    const lines = await bulk({ guid }, { alternateIds: [`${service.na}/${guid}`] });
    expect(lines.map(({ status, problem }) => [status, problem?.code])).toEqual([
      [201, undefined],
      [409, 'ALTERNATE_ID_TAKEN'],
    ]);
  });
});
