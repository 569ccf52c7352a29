import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const service = useService({ RESOLVER_AUTHORITY: 'Resolver.Example.ORG:80', RESOLVER_FIRST_SEGMENT: 'hdl' });

interface Vector {
  id: string;
  rule: string;
  kind: string;
  input: string;
  context?: { profile?: string };
  expect: { valid: boolean; normalized?: string; parts?: object; uris?: object; equal?: boolean; error?: string };
}

const read = (name: string) =>
  (JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as { vectors: Vector[] }).vectors;
/** The rules of a vector under the names of the API. */
const contextOf = ({ profile, ...others }: object & { profile?: string }) => ({ ...others, syntax: profile });
const VECTORS = [...read('../../vectors/public.json'), ...read('../../identifier/vectors.more.json')];

describe('POST /normalize', () => {
  it('returns the result of every vector, all in one request and in order', async () => {
    const items = VECTORS.map(({ input, kind, context }) => ({
      input,
      kind,
      ...(context && { context: contextOf(context) }),
    }));
    const answer = await service.client.post('/normalize', { items });
    expect(answer.status).toBe(200);
    expect(answer.body.items).toHaveLength(VECTORS.length);
    VECTORS.forEach(({ id, input, kind, expect: expected }, index) => {
      const { error, ...rest } = answer.body.items[index];
      const shown = { id, input, kind, valid: expected.valid };
      if (!expected.valid) expect({ id, ...rest, code: error.code }).toMatchObject({ ...shown, code: expected.error });
      else {
        const { normalized, parts = {}, uris = {}, equal } = expected;
        expect({ id, ...rest }).toMatchObject({ ...shown, normalized, ...(equal !== undefined && { equal }) });
        for (const [key, value] of Object.entries(parts))
          expect([id, key, rest.parts[key] ?? null]).toEqual([id, key, value]);
        const rendered = { ...rest.uris, http: rest.uris.resolver };
        for (const [key, value] of Object.entries(uris)) expect([id, key, rendered[key]]).toEqual([id, key, value]);
      }
    });
  });

  it('R-28: recognizes pasted texts, and lists the repairs', async () => {
    const inputs = [' hdl:100.102/f58fb49eb1f848f0a606e84cef294be5 ', 'https://doi.org/10.1000/182', 'demo%3a1'];
    const answer = await service.client.post('/normalize', { items: inputs.map((input) => ({ input })) });
    expect(answer.body.items).toMatchObject([
      {
        kind: 'hdl-uri',
        normalized: 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5',
        repairs: ['WHITESPACE_TRIMMED', 'GUID_UPPERCASED'],
      },
      { valid: true, uris: { handleUri: 'hdl:10.1000/182' } },
      { kind: 'fedora-pid', normalized: 'demo:1', repairs: ['SEPARATOR_DECODED'] },
    ]);
  });

  it('URI-36: renders and reads HTTP URIs with the configured resolver of three segments', async () => {
    const guid = 'F58FB49EB1F848F0A606E84CEF294BE5';
    const url = `http://resolver.example.org/hdl/100.102/${guid}`;
    const answer = await service.client.post('/normalize', {
      items: [
        { input: `100.102/${guid}`, kind: 'cordra' },
        { input: url, kind: 'http-uri', context: { syntax: 'cordra' } },
        { input: url.replace('/hdl/', '/'), kind: 'http-uri', context: { syntax: 'cordra' } },
      ],
    });
    expect(answer.body.items[0].uris.resolver).toBe(url);
    expect(answer.body.items[1]).toMatchObject({ valid: true, normalized: url });
    expect(answer.body.items[2]).toMatchObject({
      valid: false,
      error: { code: 'SEGMENT_COUNT', offset: expect.any(Number) },
    });
  });

  it('CID-10: reads a URI of a stated kind by the profile of its naming authority', async () => {
    const items = [
      { input: 'hdl:100.102/report', kind: 'hdl-uri' },
      { input: 'info:hdl/100.102/report', kind: 'info-hdl' },
      { input: 'http://resolver.example.org/hdl/100.102/report', kind: 'http-uri' },
      { input: 'hdl:100.102/report', kind: 'hdl-uri', context: { syntax: 'generic' } },
      { input: '100.102/report', kind: 'handle' },
    ];
    const found = (await service.client.post('/normalize', { items })).body.items;
    const invalid = { valid: false, error: { code: 'INVALID_GUID' } };
    expect(found).toMatchObject([invalid, invalid, invalid, { valid: true }, { valid: true }]);
  });

  it('R-02: names what `uris` leave out of the URI of a Handle, and nothing for a CORDRA identifier', async () => {
    const guid = 'F58FB49EB1F848F0A606E84CEF294BE5';
    const cases: [object, string[] | undefined, string][] = [
      [{ input: 'hdl:10.1000/182?locatt=a:b#p1' }, ['query', 'fragment'], 'hdl:10.1000/182'],
      [{ input: 'https://doi.org/10.1000/182?x' }, ['query'], 'hdl:10.1000/182'],
      [{ input: 'hdl:10.1000/182?' }, ['query'], 'hdl:10.1000/182'],
      [{ input: 'info:hdl/10.1000/182#p1' }, ['fragment'], 'hdl:10.1000/182'],
      [{ input: 'hdl:10.1000/182#', kind: 'hdl-uri' }, ['fragment'], 'hdl:10.1000/182'],
      [{ input: 'hdl:10.1000/182%3Fx%23y' }, undefined, 'hdl:10.1000/182%3Fx%23y'],
      [{ input: '10.1000/182?x#y' }, undefined, 'hdl:10.1000/182%3Fx%23y'],
      [{ input: `hdl:100.102/${guid}?x#y` }, undefined, `hdl:100.102/${guid}?x#y`],
      [{ input: 'info:fedora/demo:1/DC' }, undefined, ''],
    ];
    const answer = await service.client.post('/normalize', { items: cases.map(([item]) => item) });
    cases.forEach(([item, omitted, handleUri], index) => {
      const { valid, uris, ...rest } = answer.body.items[index];
      expect([item, valid, rest.omitted, uris.handleUri ?? '']).toEqual([item, true, omitted, handleUri]);
      expect('omitted' in rest).toBe(omitted !== undefined);
    });
  });

  it('a malformed item has its own error with the offset, and the others have their results', async () => {
    const items = [
      { input: '100.102/00000000000000000000000000000000', kind: 'cordra' },
      { input: '100.102/\u0000', kind: 'handle' },
      { input: '\ud800', kind: 'handle' },
      { input: 'x', kind: 'http-uri', context: { resolver: { scheme: 'ftp', authority: 'a' } } },
    ];
    const answer = await service.client.post('/normalize', { items });
    expect(answer.status).toBe(200);
    expect(answer.body.items.map((item: { valid: boolean }) => item.valid)).toEqual([true, false, false, false]);
    expect(answer.body.items[1].error).toMatchObject({ code: 'INVALID_CHARACTER', offset: 8 });
  });

  it('accepts 10,000 items and rejects 10,001', async () => {
    const items = Array.from({ length: 10_001 }, (_, i) => ({ input: `1234/${i}`, kind: 'handle' }));
    const most = await service.client.post('/normalize', { items: items.slice(1) });
    expect(most.body.items).toHaveLength(10_000);
    expect(most.body.items[9999].normalized).toBe('1234/10000');
    const tooMany = await service.client.post('/normalize', { items });
    expect([tooMany.status, tooMany.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it.each<[string, object, string]>([
    ['an unknown kind', { items: [{ input: 'x', kind: 'isbn' }] }, '/items/0/kind'],
    ['an unknown profile', { items: [{ input: 'x', context: { syntax: 'loose' } }] }, '/items/0/context/syntax'],
    ['an input that is no text', { items: [{ input: 'x' }, { input: 7 }] }, '/items/1/input'],
    ['an unknown member of a context', { items: [{ input: 'x', context: { trim: true } }] }, '/items/0/context/trim'],
    ['no items', { items: [] }, '/items'],
    ['items that are no list', { items: 'a' }, '/items'],
    ['a list as an item', { items: [[]] }, '/items'],
  ])('rejects %s as a whole', async (_, body, pointer) => {
    const answer = await service.client.post('/normalize', body);
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([400, 'INVALID_REQUEST', pointer]);
  });
});

describe('GET /identifiers/{identifier}/uris', () => {
  const guid = 'F58FB49EB1F848F0A606E84CEF294BE5';

  it.each([`100.102/${guid}`, `100.102/${guid.toLowerCase()}`, encodeURIComponent(`hdl://100.102/${guid}`)])(
    'renders %s, which nobody registered',
    async (path) => {
      const answer = await service.client.get(`/identifiers/${path}/uris`);
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({
        cordraPath: `hdl:100.102/${guid}`,
        cordraHost: `hdl://100.102/${guid}`,
        resolver: `http://resolver.example.org/hdl/100.102/${guid}`,
        handleUri: `hdl:100.102/${guid}`,
        infoHdl: `info:hdl/100.102/${guid}`,
        fedoraUri: null,
      });
    },
  );

  it('R-02: names what they leave out of the URI of a Handle', async () => {
    const of = async (uri: string) => (await service.client.get(`/identifiers/${encodeURIComponent(uri)}/uris`)).body;
    expect(await of('hdl:10.1000/182?x=1#y')).toMatchObject({
      resolver: 'http://resolver.example.org/hdl/10.1000/182',
      omitted: ['query', 'fragment'],
    });
    expect((await of('info:hdl/10.1000/182#y')).omitted).toEqual(['fragment']);
    expect(await of('hdl:10.1000/182%3Fx')).not.toHaveProperty('omitted');
    expect(await of(`hdl:100.102/${guid}?x`)).not.toHaveProperty('omitted');
  });

  it('R-07: has no host form where the naming authority reads as an IPv4 address', async () => {
    const answer = await service.client.get(`/identifiers/190.12.34.56/${guid}/uris`);
    expect(answer.body).toMatchObject({ cordraHost: null, cordraPath: `hdl:190.12.34.56/${guid}` });
  });

  it('FED-14: renders a Fedora dissemination', async () => {
    const answer = await service.client.get(`/identifiers/${encodeURIComponent('info:fedora/demo%3a1/DC')}/uris`);
    expect(answer.body).toMatchObject({ fedoraUri: 'info:fedora/demo:1/DC', handleUri: null });
  });

  it('rejects a malformed identifier with code and offset', async () => {
    const answer = await service.client.get(`/identifiers/${encodeURIComponent('hdl:100..102/x')}/uris`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'INVALID_NAMING_AUTHORITY', offset: 8 });
  });
});
