import { beforeEach, describe, expect, it } from '@jest/globals';
import { ndjson, sendChanges } from '../harness/changes.js';
import { coded } from '../harness/client.js';
import { curationOf } from '../harness/curation.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { minted, patch, step, history } = curationOf(service);
const TARGET = 'https://repo.example.org/1';

describe('the names of a withdrawn identifier', () => {
  let metadataId: string;
  let alternate: string;
  let identifier: string;
  let path: string;
  let withdrawn: any;
  let tag: string;

  beforeEach(async () => {
    [metadataId, alternate] = [freshMetadataId(), freshPid()];
    ({ identifier, path } = await minted({ metadataId, alternateIds: [alternate], target: TARGET }));
    const answer = await step(path, 'withdraw', { reason: 'Deposited twice.' });
    [withdrawn, tag] = [answer.body, answer.headers.get('etag')!];
  });

  it('are removed by PATCH with the usual history, and other identifiers are minted with them', async () => {
    const answer = await patch(path, { metadataId: null, alternateIds: [] }, { 'if-match': tag });
    expect(answer.status).toBe(200);
    const { uris: _, updatedAt: __, ...before } = withdrawn;
    expect(answer.body).toMatchObject({ ...before, metadataId: null, alternateIds: [], version: 3 });
    expect((await history(identifier)).slice(1)).toMatchObject([
      { version: 2, kind: 'withdrawn' },
      {
        ...{ version: 3, kind: 'changed' },
        patch: [
          { op: 'replace', path: '/metadataId', value: null },
          { op: 'replace', path: '/alternateIds', value: [] },
        ],
      },
    ]);
    expect((await service.client.get(path)).status).toBe(410);
    const next = await minted({ metadataId, alternateIds: [alternate] });
    expect(next.identifier).not.toBe(identifier);
    const back = await step(path, 'reinstate');
    expect(back.body).toMatchObject({ state: 'active', metadataId: null, alternateIds: [], target: TARGET });
  });

  it('are replaced by PATCH of the whole representation, and unique as before', async () => {
    const other = await minted({ metadataId: freshMetadataId(), alternateIds: [freshPid()] });
    const names = { metadataId: freshMetadataId(), alternateIds: [freshPid()] };
    const answer = await patch(path, { ...withdrawn, ...names }, { 'if-match': tag });
    expect(answer.body).toMatchObject({ ...names, state: 'withdrawn', target: TARGET, version: 3 });
    expect(coded(await patch(path, { metadataId: other.body.metadataId }))).toEqual([409, 'METADATA_ID_TAKEN']);
    expect(coded(await patch(path, { alternateIds: other.body.alternateIds }))).toEqual([409, 'ALTERNATE_ID_TAKEN']);
    expect(coded(await patch(path, { metadataId: null }, { 'if-match': tag }))).toEqual([412, 'PRECONDITION_FAILED']);
  });

  it('are changed by a stream, in which a later line takes a metadata ID that an earlier one freed', async () => {
    const { identifier: heir } = await minted();
    const body = ndjson({ identifier, metadataId: null }, { identifier: heir, metadataId });
    for (const query of ['?dryRun=true', '']) {
      const { lines } = await sendChanges(service.client, body, { query });
      expect(lines).toMatchObject([
        { status: 200, outcome: 'changed', identifier },
        { status: 200, outcome: 'changed', identifier: heir },
      ]);
    }
    expect((await service.client.get(`/identifiers/${heir}`)).body.metadataId).toBe(metadataId);
  });

  it('are not needed in a change to the current values, which changes nothing', async () => {
    for (const values of [{}, { target: TARGET, language: null, previousVersion: null }]) {
      const answer = await patch(path, values, { 'if-match': tag });
      expect([answer.status, answer.body.version, answer.headers.get('etag')]).toEqual([200, 2, tag]);
      for (const query of ['?dryRun=true', '']) {
        const { lines } = await sendChanges(service.client, ndjson({ identifier, ifVersion: 2, ...values }), { query });
        expect(lines).toMatchObject([{ status: 200, outcome: 'unchanged', version: 2 }]);
      }
    }
    expect(await history(identifier)).toHaveLength(2);
  });

  it.each([
    ['a new target', { target: null, metadataId: null }],
    ['a previous version', { previousVersion: 'hdl:10.1000/182', alternateIds: [] }],
  ])('are all that can be changed: %s is 409', async (_, values) => {
    const answer = await patch(path, values);
    expect(coded(answer)).toEqual([409, 'WRONG_STATE']);
    expect(answer.body.detail).toBe(
      `${identifier} is withdrawn (other); only its metadataId and its alternateIds can be changed, or it can be reinstated.`,
    );
    const { lines } = await sendChanges(service.client, ndjson({ identifier, target: null, metadataId: null }));
    expect(lines).toMatchObject([{ status: 409, problem: { code: 'WRONG_STATE' } }]);
    const update = await service.client.mint({ metadataId, target: null, onExisting: 'update' });
    expect(coded(update)).toEqual([409, 'WRONG_STATE']);
    expect(await history(identifier)).toHaveLength(2);
  });
});
