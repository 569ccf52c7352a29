import { describe, expect, it } from '@jest/globals';
import { NONE, authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const service = useService();
const { create, show, created } = authoritiesOf(service);

describe('POST /naming-authorities', () => {
  it('returns 201 with the representation, Location and a strong ETag', async () => {
    const prefix = freshPrefix();
    const answer = await create({ namingAuthority: prefix });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/naming-authorities/${prefix}`);
    expect(answer.headers.get('etag')).toMatch(/^"[^"]+"$/);
    expect(answer.body).toEqual({
      namingAuthority: prefix,
      state: 'active',
      profile: 'cordra',
      caseInsensitive: false,
      storesHandleValues: false,
      sandbox: false,
      metadataIdScheme: 'recognized',
      uuidVersion: 4,
      targetTemplate: null,
      resolver: null,
      parent: null,
      children: [],
      counts: { reserved: NONE, active: NONE, withdrawn: NONE },
      version: 1,
      createdAt: expect.stringMatching(/Z$/),
      updatedAt: answer.body.createdAt,
    });
    expect((await show(prefix)).body).toEqual(answer.body);
  });

  it('HS-08: mints under a new one at once', async () => {
    const prefix = await created();
    expect((await service.client.mint({ namingAuthority: prefix })).status).toBe(201);
  });

  it('keeps every setting, the resolver normalised (R-13)', async () => {
    const prefix = freshPrefix();
    const settings = { profile: 'handle', caseInsensitive: true, uuidVersion: 7, state: 'suspended' };
    const answer = await create({
      namingAuthority: prefix,
      ...settings,
      targetTemplate: 'https://repo.example.org/{localName}?from=mint',
      resolver: { scheme: 'HTTPS', authority: 'Resolve.Example.ORG:443', firstSegment: 'hd%6c' },
    });
    expect(answer.body).toMatchObject({
      ...settings,
      targetTemplate: 'https://repo.example.org/{localName}?from=mint',
      resolver: { scheme: 'https', authority: 'resolve.example.org', firstSegment: 'hdl' },
    });
  });

  it.each([
    ['10.5555', true],
    ['10', false],
    ['10.ABC', false],
    ['0.NA', true],
  ])('R-35, R-36: %s is case-insensitive by default: %s', async (prefix, expected) => {
    for (const parent of ['10', '0']) await create({ namingAuthority: parent });
    const answer = await create({ namingAuthority: prefix, profile: 'handle' });
    expect((answer.status === 409 ? await show(prefix) : answer).body.caseInsensitive).toBe(expected);
  });

  it('R-36: a prefix of DOIs can be configured as case-sensitive', async () => {
    await create({ namingAuthority: '10' });
    const answer = await create({ namingAuthority: '10.777', caseInsensitive: false });
    expect([answer.status, answer.body.caseInsensitive]).toEqual([201, false]);
  });

  it('R-15: rejects a prefix that exists, in any case of its letters, with a link to it', async () => {
    expect((await create({ namingAuthority: 'ark-Ä', profile: 'handle' })).status).toBe(201);
    const again = await create({ namingAuthority: 'ARK-Ä', profile: 'handle' });
    expect([again.status, again.body.code]).toEqual([409, 'NAMING_AUTHORITY_TAKEN']);
    expect(again.body.existing).toBe('/naming-authorities/ark-%C3%84');
    expect(again.headers.get('link')).toBe('</naming-authorities/ark-%C3%84>; rel="related"');
    expect((await service.client.get(again.body.existing)).body.namingAuthority).toBe('ark-Ä');
    // Letters of other scripts are not folded: "ä" is another prefix.
    expect((await create({ namingAuthority: 'ark-ä', profile: 'handle' })).status).toBe(201);
  });

  it('HS-07: creates 12345.1.7 only when 12345.1 exists, where 12345 is registered here', async () => {
    const parent = freshPrefix();
    await create({ namingAuthority: parent });
    const early = await create({ namingAuthority: `${parent}.1.7` });
    expect([early.status, early.body.code]).toEqual([422, 'PARENT_NOT_FOUND']);
    expect(early.body.errors).toEqual([expect.objectContaining({ pointer: '/namingAuthority' })]);
    expect((await show(`${parent}.1.7`)).status).toBe(404);
    await create({ namingAuthority: `${parent}.1` });
    expect((await create({ namingAuthority: `${parent}.1.7` })).status).toBe(201);
  });

  it.each(['33.500.12345', '44.5072'])('needs no parent for %s, which somebody else gave', async (prefix) => {
    const answer = await create({ namingAuthority: prefix, profile: 'handle' });
    expect([answer.status, answer.body.parent]).toEqual([201, null]);
    for (const parent of ['33', '33.500', '44']) expect((await show(parent)).status).toBe(404);
  });

  it('HS-07: lists parent and children', async () => {
    const parent = freshPrefix();
    await create({ namingAuthority: parent });
    for (const child of ['1', '10', '1.5', '2']) {
      const answer = await create({ namingAuthority: `${parent}.${child}` });
      expect(answer.status).toBe(201);
    }
    await create({ namingAuthority: `${parent}9` });
    expect((await show(parent)).body).toMatchObject({
      parent: null,
      children: [`${parent}.1`, `${parent}.10`, `${parent}.2`],
    });
    expect((await show(`${parent}.1`)).body).toMatchObject({ parent, children: [`${parent}.1.5`] });
    expect((await show(`${parent}.1.5`)).body).toMatchObject({ parent: `${parent}.1`, children: [] });
  });

  it('HS-07, R-15: finds the parent in any case', async () => {
    await create({ namingAuthority: 'Lib', profile: 'handle' });
    const child = await create({ namingAuthority: 'LIB.one', profile: 'handle' });
    expect([child.status, child.body.parent]).toEqual([201, 'Lib']);
    expect((await show('lib')).body.children).toEqual(['LIB.one']);
  });

  it('accepts a configured naming authority without its parent, which is null', async () => {
    expect((await show('100.102')).body).toMatchObject({ namingAuthority: '100.102', parent: null });
  });

  it('creates one of twenty concurrent ones', async () => {
    const prefix = freshPrefix();
    const answers = await Promise.all(Array.from({ length: 20 }, () => create({ namingAuthority: prefix })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 19 }, () => 409)]);
  });

  it('once with an Idempotency-Key, whatever the case of the prefix; another body under the key is rejected', async () => {
    const key = { 'idempotency-key': 'create-once' };
    const first = await create({ namingAuthority: 'once', profile: 'handle' }, key);
    const again = await create({ namingAuthority: 'ONCE', profile: 'handle' }, key);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    const other = await create({ namingAuthority: 'other', profile: 'handle' }, key);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('a rejection is not stored under the Idempotency-Key', async () => {
    const key = { 'idempotency-key': 'rejected-first' };
    const parent = freshPrefix();
    await create({ namingAuthority: parent });
    expect((await create({ namingAuthority: `${parent}.1.7` }, key)).status).toBe(422);
    await create({ namingAuthority: `${parent}.1` });
    expect((await create({ namingAuthority: `${parent}.1.7` }, key)).status).toBe(201);
  });

  const rejections: [string, object, string, string][] = [
    ['no prefix', {}, 'INVALID_REQUEST', '/namingAuthority'],
    ['CID-05: an empty prefix', { namingAuthority: '' }, 'INVALID_NAMING_AUTHORITY', '/namingAuthority'],
    ['CID-06: an empty segment', { namingAuthority: '1..2' }, 'INVALID_NAMING_AUTHORITY', '/namingAuthority'],
    ['CID-08: letters under cordra', { namingAuthority: '10.ABC' }, 'INVALID_NAMING_AUTHORITY', '/namingAuthority'],
    ['HS-01: a slash', { namingAuthority: 'a/b', profile: 'handle' }, 'INVALID_NAMING_AUTHORITY', '/namingAuthority'],
    ['HS-02: U+0000', { namingAuthority: 'a\0', profile: 'handle' }, 'INVALID_CHARACTER', '/namingAuthority'],
    ['R-12: beyond UCS-2', { namingAuthority: '😀', profile: 'handle' }, 'NOT_UCS2', '/namingAuthority'],
    ['256 bytes', { namingAuthority: 'é'.repeat(128), profile: 'handle' }, 'INVALID_REQUEST', '/namingAuthority'],
    ['a profile of its own', { namingAuthority: '1', profile: 'doi' }, 'INVALID_REQUEST', '/profile'],
    ['UUIDs of version 3', { namingAuthority: '1', uuidVersion: 3 }, 'INVALID_REQUEST', '/uuidVersion'],
    ['a version as text', { namingAuthority: '1', uuidVersion: '4' }, 'INVALID_REQUEST', '/uuidVersion'],
    ['another status', { namingAuthority: '1', status: 'gone' }, 'INVALID_REQUEST', '/status'],
    ['an unknown member', { namingAuthority: '1', prefix: '1' }, 'INVALID_REQUEST', '/prefix'],
    [
      'R-35: case under 0.NA',
      { namingAuthority: '0.na', profile: 'handle', caseInsensitive: false },
      'INVALID_REQUEST',
      '/caseInsensitive',
    ],
    ...[
      'https://repo.example.org/objects/',
      'https://repo.example.org/{id}',
      'https://{guid}.example.org/',
      'ftp://repo.example.org/{guid}',
      '/objects/{guid}',
      'https://user:secret@repo.example.org/{guid}',
      'https://repo.example.org/ä/{guid}',
      `https://repo.example.org/${'x'.repeat(2000)}/{guid}`,
    ].map((targetTemplate): [string, object, string, string] => [
      `the template ${targetTemplate.slice(0, 50)}`,
      { namingAuthority: '1', targetTemplate },
      'INVALID_REQUEST',
      '/targetTemplate',
    ]),
    ...[
      { scheme: 'ftp', authority: 'a.example' },
      { scheme: 'http', authority: '' },
      { scheme: 'http', authority: 'user@a.example' },
      { scheme: 'http', authority: 'a.example', firstSegment: 'a/b' },
      { scheme: 'http', authority: 'a.example', firstSegment: '' },
    ].map((resolver): [string, object, string, string] => [
      `URI-36: the resolver ${JSON.stringify(resolver)}`,
      { namingAuthority: '1', resolver },
      'INVALID_REQUEST',
      '/resolver',
    ]),
    [
      'a resolver without authority',
      { namingAuthority: '1', resolver: { scheme: 'http' } },
      'INVALID_REQUEST',
      '/resolver/authority',
    ],
    ['a resolver that is text', { namingAuthority: '1', resolver: 'a.example' }, 'INVALID_REQUEST', '/resolver'],
  ];

  it.each(rejections)('rejects %s', async (_, fields, code, pointer) => {
    const answer = await create(fields);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.errors[0].pointer).toBe(pointer);
  });
});
