import { describe, expect, it } from '@jest/globals';
import { coded } from '../harness/client.js';
import { curationOf, pathOf } from '../harness/curation.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { history, minted, patch } = curationOf(service);

describe('PATCH /identifiers/{identifier}', () => {
  it('changes metadata ID, target and alternates, creates one version, and returns the same as GET', async () => {
    const { path, tag, identifier } = await minted({ target: 'https://a.example.org/' });
    const [metadataId, alternate] = [freshMetadataId(), freshPid()];
    const target = 'https://b.example.org/';
    const changed = await patch(path, { metadataId, target, alternateIds: [alternate] }, { 'if-match': tag });
    expect(changed.status).toBe(200);
    expect(changed.body).toMatchObject({ identifier, metadataId, target, alternateIds: [alternate], version: 2 });
    const found = await service.client.get(path);
    expect(found.headers.get('etag')).toBe(changed.headers.get('etag'));
    expect(found.body).toEqual(changed.body);
    expect(await history(identifier)).toMatchObject([
      { version: 1, kind: 'minted' },
      {
        ...{ version: 2, kind: 'changed', client: 'anonymous' },
        patch: [
          { op: 'replace', path: '/metadataId', value: metadataId },
          { op: 'replace', path: '/target', value: target },
          { op: 'replace', path: '/alternateIds', value: [alternate] },
        ],
      },
    ]);
  });

  it('RFC 7396: does not change absent members, and null removes metadata ID and target', async () => {
    const fields = { metadataId: freshMetadataId(), target: 'https://a.example.org/', alternateIds: [freshPid()] };
    const { path } = await minted(fields);
    const one = await patch(path, { target: null }, { 'content-type': 'application/merge-patch+json' });
    expect(one.body).toMatchObject({ ...fields, target: null, version: 2 });
    const two = await patch(path, { metadataId: null, alternateIds: [] });
    expect(two.body).toMatchObject({ metadataId: null, target: null, alternateIds: [], version: 3 });
  });

  it('frees the metadata ID and the alternates that it removes, and finds the new ones', async () => {
    const [old, next] = [
      { metadataId: freshMetadataId(), alternateIds: [freshPid()] },
      { metadataId: freshMetadataId(), alternateIds: [freshPid()] },
    ];
    const { path, identifier } = await minted(old);
    await patch(path, next);
    expect((await service.client.mint(old)).status).toBe(201);
    for (const query of [`metadataId=${next.metadataId}`, `alternateId=${next.alternateIds[0]}`]) {
      const { body } = await service.client.get(`/identifiers?${query}`);
      expect(body.items.map((item: { identifier: string }) => item.identifier)).toEqual([identifier]);
    }
  });

  it('R-28: accepts the identifier in every form', async () => {
    const { identifier, body } = await minted();
    const { cordraPath, cordraHost, resolver, infoHdl } = body.uris;
    const spellings = [identifier.toLowerCase(), cordraPath, cordraHost, resolver, infoHdl];
    for (const [index, spelling] of spellings.entries()) {
      const target = `https://example.org/${index}`;
      const answer = await patch(pathOf(encodeURIComponent(spelling)), { target });
      expect(answer.body).toMatchObject({ identifier, target, version: index + 2 });
    }
    expect((await patch(pathOf(identifier.toLowerCase()), { target: null })).status).toBe(200);
  });

  it.each([
    ['an empty object', () => ({})],
    ['what it has already', (now: object) => now],
    [
      'what it has already, in other spellings',
      (now: { metadataId: string; alternateIds: string[] }) => ({
        metadataId: now.metadataId.toLowerCase().replace('hdl:', 'info:hdl/'),
        alternateIds: [now.alternateIds[0]!.replace('info:fedora/', '')],
      }),
    ],
  ])('creates no new version of %s', async (_, fieldsOf) => {
    const now = { metadataId: freshMetadataId(), target: 'https://a.example.org/', alternateIds: [freshPid()] };
    const { path, tag, identifier } = await minted(now);
    const answer = await patch(path, fieldsOf(now));
    expect([answer.status, answer.body.version, answer.headers.get('etag')]).toEqual([200, 1, tag]);
    expect(await history(identifier)).toHaveLength(1);
  });

  it('of twenty concurrent changes with one ETag, one takes effect and nineteen are rejected', async () => {
    const { path, tag, identifier } = await minted();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => patch(path, { target: `https://${i}.example.org/` }, { 'if-match': tag })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const rejected = answers.filter(({ status }) => status !== 200);
    expect(rejected.map(coded)).toEqual(Array(19).fill([412, 'PRECONDITION_FAILED']));
    expect((await service.client.get(path)).body.version).toBe(2);
    expect(await history(identifier)).toHaveLength(2);
  });
});

describe('If-Match', () => {
  it('is required for a change: 428 without it, and there is no change', async () => {
    const { path } = await minted();
    const headers = { 'content-type': 'application/json' };
    const answer = await service.client.send('PATCH', path, headers, '{"target":"https://a.example.org/"}');
    expect(coded(answer)).toEqual([428, 'PRECONDITION_REQUIRED']);
    expect((await service.client.get(path)).body).toMatchObject({ version: 1, target: null });
  });

  it.each([
    ['the tag', (tag: string) => tag, 200],
    ['any', () => '*', 200],
    ['the tag among others', (tag: string) => `"a,b", W/"x" ,,${tag}`, 200],
    ['another tag', () => '"another"', 412],
    ['the empty tag', () => '""', 412],
    ['the tag as a weak one', (tag: string) => `W/${tag}`, 412],
    ['the tag inside another', (tag: string) => `"x,${tag.slice(1, -1)},y"`, 412],
    ['the tag without quotes', (tag: string) => tag.slice(1, -1), 400],
    ['half a tag', (tag: string) => tag.slice(0, -1), 400],
    ['tags without a comma', (tag: string) => `${tag} "x"`, 400],
    ['tags that touch', (tag: string) => `${tag}"x"`, 400],
    ['any and a tag', (tag: string) => `*, ${tag}`, 400],
    ['a small w', (tag: string) => `w/${tag}`, 400],
    ['a tag with a space', () => '"a b"', 400],
    ['nothing', () => '', 400],
    ['a comma', () => ',', 400],
  ] as const)('RFC 9110 13.1.1: %s', async (_, headerOf, status) => {
    const { path, tag } = await minted();
    const answer = await patch(path, { target: 'https://a.example.org/' }, { 'if-match': headerOf(tag) });
    const codes = { 200: undefined, 400: 'INVALID_PRECONDITION', 412: 'PRECONDITION_FAILED' };
    expect(coded(answer)).toEqual([status, codes[status]]);
    expect((await service.client.get(path)).body.version).toBe(status === 200 ? 2 : 1);
  });

  it('If-None-Match returns 304 for the current tag, weak or strong, and 200 after a change', async () => {
    const { path, tag } = await minted();
    for (const header of [tag, `W/${tag}`, `"a,b", ${tag}`, '*']) {
      expect((await service.client.get(path, { 'if-none-match': header })).status).toBe(304);
    }
    for (const header of ['"a,*,b"', tag.slice(1, -1), `"x${tag.slice(1)}`]) {
      expect((await service.client.get(path, { 'if-none-match': header })).status).toBe(200);
    }
    await patch(path, { target: 'https://a.example.org/' });
    expect((await service.client.get(path, { 'if-none-match': tag })).status).toBe(200);
  });
});

describe('the uniqueness of names', () => {
  it('a metadata ID that describes another identifier is rejected with 409 and a link', async () => {
    const metadataId = freshMetadataId();
    const [holder, other] = [await minted({ metadataId }), await minted()];
    const answer = await patch(other.path, { metadataId: metadataId.toLowerCase() });
    expect(coded(answer)).toEqual([409, 'METADATA_ID_TAKEN']);
    expect(answer.body.existing).toBe(holder.path);
    expect(answer.headers.get('link')).toBe(`<${holder.path}>; rel="related"`);
    expect(answer.body.errors[0].pointer).toBe('/metadataId');
    expect((await service.client.get(other.path)).body).toMatchObject({ metadataId: null, version: 1 });
  });

  it('of twenty concurrent changes that set one metadata ID, one succeeds', async () => {
    const metadataId = freshMetadataId();
    const paths = await Promise.all(Array.from({ length: 20 }, async () => (await minted()).path));
    const answers = await Promise.all(paths.map((path) => patch(path, { metadataId })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status !== 200).map(coded)).toEqual(
      Array(19).fill([409, 'METADATA_ID_TAKEN']),
    );
  });

  it('an alternate of another identifier is rejected with 409 and its pointer', async () => {
    const [own, taken] = [freshPid(), freshPid()];
    const [holder, other] = [await minted({ alternateIds: [taken] }), await minted({ alternateIds: [own] })];
    const answer = await patch(other.path, { alternateIds: [own, taken.replace('info:fedora/', '')] });
    expect(coded(answer)).toEqual([409, 'ALTERNATE_ID_TAKEN']);
    expect(answer.body).toMatchObject({ existing: holder.path, errors: [{ pointer: '/alternateIds/1' }] });
    expect((await service.client.get(other.path)).body).toMatchObject({ alternateIds: [own], version: 1 });
  });

  it('both are free in another naming authority', async () => {
    const fields = { metadataId: freshMetadataId(), alternateIds: [freshPid()] };
    await minted(fields);
    const { path } = await minted({ namingAuthority: service.other });
    expect((await patch(path, fields)).body).toMatchObject(fields);
  });

  it('CID-24: an identifier cannot become its own metadata ID, in any form', async () => {
    const { path, identifier } = await minted();
    for (const metadataId of [identifier, `hdl:${identifier.toLowerCase()}?x#y`, `info:hdl/${identifier}`]) {
      expect(coded(await patch(path, { metadataId }))).toEqual([422, 'METADATA_ID_IS_IDENTIFIER']);
    }
  });
});
