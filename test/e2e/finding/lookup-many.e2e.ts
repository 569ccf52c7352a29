import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const service = useService();

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const RECORD = '2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

const lookUp = async (inputs: unknown) => service.client.post('/identifiers/lookup', { items: inputs });

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
        outcome: 'found',
        matchedBy,
        canonical,
        others: [],
        identifier: IDENTIFIER,
        record: expect.objectContaining({ identifier: IDENTIFIER }),
      },
    ]);
  });

  it.each([
    ['an identifier that is not registered', `100.102/${'0'.repeat(32)}`, 'missing'],
    ['a Handle of others', '20.1000/5555', 'missing'],
    ['a UUID alone that is registered nowhere', '0'.repeat(32), 'missing'],
    ['CID-10: 31 digits under a naming authority of ours', IDENTIFIER.slice(0, -1), 'malformed'],
    ['CID-06: an empty segment', `100..102/${GUID}`, 'malformed'],
    ['prose', 'no such thing', 'malformed'],
    ['nothing', '', 'malformed'],
    ['U+0000', 'demo:7\0', 'malformed'],
    ['half a surrogate pair', 'demo:\ud800', 'malformed'],
  ])('has the outcome of %s', async (_, input, outcome) => {
    const { body } = await lookUp([input]);
    expect(body.items[0]).toMatchObject({ input, outcome, matchedBy: null });
    const isMalformed = outcome === 'malformed';
    const problem = { status: 400, code: expect.any(String), errors: [{ pointer: '/items/0' }] };
    expect(body.items[0].problem ?? {}).toMatchObject(isMalformed ? problem : {});
    expect('problem' in body.items[0]).toBe(isMalformed);
  });

  it('returns a thousand mixed lines in their order', async () => {
    const kinds = [IDENTIFIER, RECORD, 'demo:7', 'no such thing', `100.102/${'1'.repeat(32)}`];
    const inputs = Array.from({ length: 1000 }, (_, i) => kinds[i % 5] ?? '');
    const { body } = await lookUp(inputs);
    expect(body.items.map(({ input }: { input: string }) => input)).toEqual(inputs);
    const statuses = ['found', 'found', 'found', 'malformed', 'missing'];
    expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(
      inputs.map((_, i) => statuses[i % 5]),
    );
  });

  it('returns the other identifiers of a metadata ID that exists under two naming authorities', async () => {
    const metadataId = 'hdl:2000.03/00000000000000000000000000000001';
    const first = await service.client.mint({ metadataId });
    const second = await service.client.mint({ metadataId, namingAuthority: '2000.01' });
    const { body } = await lookUp([metadataId]);
    expect(body.items[0].outcome).toBe('ambiguous');
    expect(body.items[0].candidates).toEqual([first.body.identifier, second.body.identifier]);
    expect(body.items[0].identifier).toBe(first.body.identifier);
    expect(body.items[0].others).toEqual([second.body.identifier]);
  });

  it('returns no other identifier where one has the name twice: as metadata ID and as alternate', async () => {
    const name = 'hdl:2000.03/00000000000000000000000000000002';
    const { body } = await service.client.mint({ metadataId: name, alternateIds: [name] });
    const [item] = (await lookUp([name])).body.items;
    expect([item.outcome, item.matchedBy, item.identifier, item.others]).toEqual([
      ...['found', 'metadataId', body.identifier, []],
    ]);
  });

  it('prefers the identifier to those whose metadata ID it is', async () => {
    const { body } = await service.client.mint({ mintMetadataId: true });
    const answer = await lookUp([body.metadataRecord.identifier]);
    expect(answer.body.items[0]).toMatchObject({ matchedBy: 'identifier', others: [body.identifier] });
    expect(answer.body.items[0].identifier).toBe(body.metadataRecord.identifier);
  });

  it.each([
    ['no list', undefined],
    ['an empty list', []],
    ['1,001 texts', Array.from({ length: 1001 }, () => 'demo:7')],
    ['a number among texts', ['demo:7', 7]],
    ['null among texts', [null]],
  ])('rejects %s', async (_, inputs) => {
    const { status, body } = await lookUp(inputs);
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST']);
  });
});

describe('an input that finds nothing unchanged', () => {
  const TARGET = 'https://repo.example.org/objects/pasted';
  const BARE = '0123456789ABCDEF0123456789ABCDEF';

  beforeAll(async () => {
    expect((await service.client.mint({ guid: BARE, target: TARGET })).status).toBe(201);
  });

  it.each([
    ['angle brackets', `<hdl:${IDENTIFIER}>`, 'identifier', IDENTIFIER],
    ['quotation marks and a full stop', `“${IDENTIFIER.toLowerCase()}.”`, 'identifier', IDENTIFIER],
    ['a full stop behind a resolver URL', `https://hdl.handle.net/${IDENTIFIER}.`, 'identifier', IDENTIFIER],
    ['quotation marks around a PID', '"demo:7"', 'alternateId', IDENTIFIER],
    ['a metadata ID in brackets', `<${RECORD}>`, 'metadataId', IDENTIFIER],
    ['a bare GUID', BARE, 'identifier', `100.102/${BARE}`],
    ['a bare GUID as a UUID', '01234567-89ab-cdef-0123-456789abcdef', 'identifier', `100.102/${BARE}`],
    ['a bare GUID with a full stop', `${BARE}.`, 'identifier', `100.102/${BARE}`],
    ['a target', TARGET, 'target', `100.102/${BARE}`],
    ['a target in brackets', ` <${TARGET}>.`, 'target', `100.102/${BARE}`],
  ])('is found by %s', async (_, input, matchedBy, identifier) => {
    const { body } = await lookUp([input]);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ input, outcome: 'found', matchedBy, others: [], identifier });
    expect(body.items[0]).not.toHaveProperty('candidates');
  });

  it('is read unchanged first: a target with a final full stop is not the one without', async () => {
    const exact = await service.client.mint({ target: `${TARGET}.` });
    const { body } = await lookUp([`${TARGET}.`, TARGET, `${TARGET}..`, TARGET.toUpperCase()]);
    expect(body.items.map((item: any) => item.identifier)).toEqual([
      exact.body.identifier,
      `100.102/${BARE}`,
      exact.body.identifier,
      undefined,
    ]);
  });

  it('prefers a name to a bare GUID: an alternate that is the UUID of another identifier', async () => {
    const guid = '11111111222243338444555555555555';
    await service.client.mint({ guid });
    const named = await service.client.mint({ alternateIds: ['urn:uuid:11111111-2222-4333-8444-555555555555'] });
    expect(named.status).toBe(201);
    const { body } = await lookUp([guid]);
    expect(body.items[0]).toMatchObject({ outcome: 'found', matchedBy: 'alternateId' });
    expect(body.items[0].identifier).toBe(named.body.identifier);
  });

  it('is ambiguous with ten candidates at most in order of minting, for a GUID and for a target', async () => {
    const guid = '22222222222243338444555555555555';
    for (const namingAuthority of ['2000.01', '100.102']) await service.client.mint({ guid, namingAuthority });
    const target = 'https://repo.example.org/shared';
    const minted = await service.client.post('/identifiers/batch', {
      namingAuthority: '100.102',
      items: Array.from({ length: 12 }, () => ({ target })),
    });
    const shared = minted.body.items.map(({ identifier }: any) => identifier);
    const { body } = await lookUp([guid, `<${target}>`]);
    const canonical = 'urn:uuid:22222222-2222-4333-8444-555555555555';
    const candidates = [`2000.01/${guid}`, `100.102/${guid}`];
    expect(body.items).toEqual([
      { input: guid, outcome: 'ambiguous', matchedBy: 'identifier', candidates, canonical },
      { input: `<${target}>`, outcome: 'ambiguous', matchedBy: 'target', candidates: shared.slice(0, 10) },
    ]);
  });

  it('has the fault of the unchanged input when nothing is found', async () => {
    const { body } = await lookUp(['"no such thing".', `${IDENTIFIER}0.`]);
    expect(body.items.map((item: any) => [item.outcome, item.problem.code])).toEqual([
      ['malformed', 'NOT_RECOGNIZED'],
      ['malformed', expect.any(String)],
    ]);
  });

  it('is found without the parentheses around it, and without the final slash of a URL', async () => {
    const inputs = [`(${IDENTIFIER})`, `(«https://hdl.handle.net/${IDENTIFIER}/»).`, '(demo:7)'];
    const { body } = await lookUp([...inputs, `https://hdl.handle.net/${IDENTIFIER}/`, `${IDENTIFIER}/`]);
    expect(body.items.map(({ outcome }: any) => outcome)).toEqual(['found', 'found', 'found', 'found', 'malformed']);
  });

  it('is found by the URL at which the client reaches it, in any percent-encoding', async () => {
    const { base } = service.client;
    const urls = [
      `${base}/identifiers/${IDENTIFIER}`,
      `${base}/identifiers/${IDENTIFIER.toLowerCase()}/`,
      `<${base}/identifiers/${IDENTIFIER.replace('/', '%2f')}>.`,
      `${base}/identifiers/hdl%3A%2F%2F${IDENTIFIER.replace('/', '%2F')}`,
      `${base}/identifiers/${IDENTIFIER}/history?limit=1`,
    ];
    const { body } = await lookUp(urls);
    expect(body.items.map(({ identifier, matchedBy }: any) => [matchedBy, identifier])).toEqual(
      urls.map(() => ['identifier', IDENTIFIER]),
    );
  });

  it('is not found by a URL of another host with the same path', async () => {
    const { body } = await lookUp([`https://pid.example.com/identifiers/${IDENTIFIER}`]);
    expect(body.items[0]).toMatchObject({ outcome: 'missing', matchedBy: null });
  });

  it.each([
    'https://repo.example.org/objects/unknown',
    'https://repo.example.org/objects/unknown/',
    '<https://repo.example.org/objects/unknown>',
    'https://hdl.handle.net/',
  ])('is missing, and not malformed, as the URL %s that is no registered target', async (input) => {
    const { body } = await lookUp([input]);
    expect(body.items).toMatchObject([{ input, outcome: 'missing', matchedBy: null }]);
  });

  it('is rejected by /normalize as before', async () => {
    for (const input of [`https://hdl.handle.net/${IDENTIFIER}.`, '"demo:7"', `${BARE}.`]) {
      const { body } = await service.client.post('/normalize', { inputs: [input] });
      expect(JSON.stringify(body)).not.toContain(`hdl:${IDENTIFIER}"`);
      expect(JSON.stringify(body)).not.toContain('"info:fedora/demo:7"');
    }
  });
});

describe('other texts of people', () => {
  it('an empty target is rejected by the list and by the export', async () => {
    for (const path of ['/identifiers?target=', '/identifiers/export?target=']) {
      const { status, body } = await service.client.get(path);
      expect([status, body.code, body.errors?.[0].parameter]).toEqual([400, 'INVALID_REQUEST', 'target']);
    }
  });

  it('a conflict names the existing identifier beside its path', async () => {
    const answers = [
      await service.client.mint({ guid: GUID }),
      await service.client.mint({ metadataId: `hdl:${RECORD}`, onExisting: 'reject' }),
      await service.client.mint({ alternateIds: ['demo:7'] }),
    ];
    expect(answers.map(({ status, body }) => [status, body.identifier, body.existing])).toEqual(
      answers.map(() => [409, IDENTIFIER, `/identifiers/${IDENTIFIER}`]),
    );
  });

  it.each(['application/json', 'text/plain', 'application/merge-patch+json', 'application/x-ndjson;charset=latin1'])(
    'a stream rejects %s and names application/x-ndjson',
    async (type) => {
      for (const path of ['/identifiers/bulk', '/identifiers/import']) {
        const { status, body } = await service.client.send('POST', path, { 'content-type': type }, '{}');
        expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
        expect(body.detail).toContain('application/x-ndjson');
        expect(body.detail).not.toContain('send application/json');
        expect(body.detail).not.toContain('content-type: application/json');
      }
    },
  );
});
