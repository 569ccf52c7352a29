import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from './harness/service.js';

const service = useService();

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const RECORD = '2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

const lookUp = async (inputs: unknown) => service.client.post('/identifiers/lookup', { inputs });

beforeAll(async () => {
  await service.client.mint({
    guid: GUID,
    metadataId: `hdl:${RECORD}`,
    alternateIds: ['demo:7', 'doi:10.1000/Ab', 'info:fedora/demo:1/DC'],
  });
});

describe('POST /identifiers/lookup', () => {
  it.each([
    ['an identifier', IDENTIFIER, 'identifier', `hdl:${IDENTIFIER}`],
    ['CID-13: one in lower case', IDENTIFIER.toLowerCase(), 'identifier', `hdl:${IDENTIFIER}`],
    ['URI-07: the host encoding', `hdl://${IDENTIFIER}`, 'identifier', `hdl:${IDENTIFIER}`],
    ['URI-29: a URL of a resolver', `https://hdl.handle.net/${IDENTIFIER}`, 'identifier', `hdl:${IDENTIFIER}`],
    ['R-28: white space around it', ` \t${IDENTIFIER} `, 'identifier', `hdl:${IDENTIFIER}`],
    ['CID-24: a metadata ID', RECORD.toLowerCase(), 'metadataId', `hdl:${RECORD}`],
    ['HUS-01: a metadata ID as an info URI', `info:hdl/${RECORD}`, 'metadataId', `hdl:${RECORD}`],
    ['FED-02: a PID', 'demo%3a7', 'alternateId', 'info:fedora/demo:7'],
    ['FED-14: a dissemination', 'info:fedora/demo:1/DC', 'alternateId', 'info:fedora/demo:1/DC'],
    ['R-36: a DOI in another case', 'https://doi.org/10.1000/aB', 'alternateId', 'hdl:10.1000/aB'],
  ])('finds %s', async (_, input, matchedBy, canonical) => {
    const { status, body } = await lookUp([input]);
    expect(status).toBe(200);
    expect(body.items).toEqual([
      {
        input,
        status: 'found',
        matchedBy,
        canonical,
        others: [],
        identifier: expect.objectContaining({ identifier: IDENTIFIER }),
      },
    ]);
  });

  it.each([
    ['an identifier that is not registered', `100.102/${'0'.repeat(32)}`, 'missing'],
    ['a Handle of others', '20.1000/5555', 'missing'],
    ['a UUID alone', GUID, 'missing'],
    ['CID-10: 31 digits under a naming authority of ours', IDENTIFIER.slice(0, -1), 'malformed'],
    ['CID-06: an empty segment', `100..102/${GUID}`, 'malformed'],
    ['prose', 'no such thing', 'malformed'],
    ['nothing', '', 'malformed'],
    ['U+0000', 'demo:7\0', 'malformed'],
    ['half a surrogate pair', 'demo:\ud800', 'malformed'],
  ])('tells of %s', async (_, input, status) => {
    const { body } = await lookUp([input]);
    expect(body.items[0]).toMatchObject({ input, status, matchedBy: null });
    expect(Object.keys(body.items[0]).includes('error')).toBe(status === 'malformed');
  });

  it('answers a thousand mixed lines in their order', async () => {
    const kinds = [IDENTIFIER, RECORD, 'demo:7', 'no such thing', `100.102/${'1'.repeat(32)}`];
    const inputs = Array.from({ length: 1000 }, (_, i) => kinds[i % 5] ?? '');
    const { body } = await lookUp(inputs);
    expect(body.items.map(({ input }: { input: string }) => input)).toEqual(inputs);
    const statuses = ['found', 'found', 'found', 'malformed', 'missing'];
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(inputs.map((_, i) => statuses[i % 5]));
  });

  it('names the other identifiers of a metadata ID that stands under two naming authorities', async () => {
    const metadataId = 'hdl:2000.03/00000000000000000000000000000001';
    const first = await service.client.mint({ metadataId });
    const second = await service.client.mint({ metadataId, namingAuthority: '2000.01' });
    const { body } = await lookUp([metadataId]);
    expect(body.items[0].identifier.identifier).toBe(first.body.identifier);
    expect(body.items[0].others).toEqual([second.body.identifier]);
  });

  it('prefers the identifier to those whose metadata ID it is', async () => {
    const { body } = await service.client.mint({ mintMetadataId: true });
    const answer = await lookUp([body.metadataRecord.identifier]);
    expect(answer.body.items[0]).toMatchObject({ matchedBy: 'identifier', others: [body.identifier] });
    expect(answer.body.items[0].identifier.identifier).toBe(body.metadataRecord.identifier);
  });

  it.each([
    ['no list', undefined],
    ['an empty list', []],
    ['1,001 texts', Array.from({ length: 1001 }, () => 'demo:7')],
    ['a number among texts', ['demo:7', 7]],
    ['null among texts', [null]],
  ])('refuses %s', async (_, inputs) => {
    const { status, body } = await lookUp(inputs);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});
