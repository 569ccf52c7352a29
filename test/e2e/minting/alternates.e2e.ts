import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();

/** Without a naming authority it finds the identifiers of all. */
const find = async (alternateId: string, namingAuthority: string | null = service.na): Promise<string[]> => {
  const filter = namingAuthority === null ? '' : `&namingAuthority=${namingAuthority}`;
  const answer = await service.client.get(`/identifiers?alternateId=${encodeURIComponent(alternateId)}${filter}`);
  expect(answer.status).toBe(200);
  return answer.body.items.map(({ identifier }: { identifier: string }) => identifier);
};

/** Fedora PID, old Handle, DOI: as sent, as stored, and in other notations. */
const KINDS: [string, string, string, string[]][] = [
  [
    'a Fedora PID',
    'demo%3A7',
    'info:fedora/demo:7',
    ['demo:7', 'demo%3a7', 'info:fedora/demo:7', 'info:fedora/demo%3A7'],
  ],
  [
    'an old Handle',
    '1234/Old name',
    'hdl:1234/Old%20name',
    ['hdl:1234/Old%20name', 'info:hdl/1234/Old%20name', 'https://hdl.handle.net/1234/Old%20name'],
  ],
  [
    'a DOI',
    'doi:10.1000/AbC',
    'hdl:10.1000/AbC',
    [
      '10.1000/abc',
      'https://doi.org/10.1000/ABC',
      'http://dx.doi.org/10.1000/abc',
      'hdl:10.1000/aBc',
      'info:hdl/10.1000/ABC',
      'DOI: 10.1000/abc',
    ],
  ],
  [
    'a CORDRA identifier or Handle of others',
    '2000.03/0a1B2c3d4e5f60718293a4b5c6d7e8f9',
    'hdl:2000.03/0a1B2c3d4e5f60718293a4b5c6d7e8f9',
    ['hdl://2000.03/0A1B2C3D4E5F60718293A4B5C6D7E8F9', '2000.03/0a1b2c3d4e5f60718293a4b5c6d7e8f9'],
  ],
  [
    'a UUID',
    'urn:uuid:F58FB49E-B1F8-48F0-A606-E84CEF294BE5',
    'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5',
    ['F58FB49EB1F848F0A606E84CEF294BE5', '{f58fb49e-b1f8-48f0-a606-e84cef294be5}'],
  ],
];

describe('alternateIds', () => {
  it.each(KINDS)('%s is stored canonical, and found and accepted in any form', async (_, sent, canonical, others) => {
    const minted = await service.client.mint({ alternateIds: [sent] });
    expect([minted.status, minted.body.alternateIds]).toEqual([201, [canonical]]);
    const { identifier } = minted.body;
    for (const spelling of [sent, canonical, ...others]) {
      expect([spelling, await find(spelling)]).toEqual([spelling, [identifier]]);
      const again = await service.client.mint({ alternateIds: ['demo:free', spelling] });
      expect([spelling, again.status, again.body.code]).toEqual([spelling, 409, 'ALTERNATE_ID_TAKEN']);
      expect(again.body.existing).toBe(`/identifiers/${identifier}`);
      expect(again.body.errors).toEqual([expect.objectContaining({ pointer: '/alternateIds/1' })]);
      expect(again.headers.get('link')).toBe(`</identifiers/${identifier}>; rel="related"`);
    }
    expect(await find('demo:free')).toEqual([]);
  });

  it('an old Handle has case, and another case of it is free', async () => {
    await service.client.mint({ alternateIds: ['1234/case'] });
    expect((await service.client.mint({ alternateIds: ['1234/CASE'] })).status).toBe(201);
  });

  it('is free in another naming authority, and the list distinguishes them', async () => {
    const alternateId = `doi:10.1000/${randomUUID()}`;
    const one = (await service.client.mint({ alternateIds: [alternateId] })).body.identifier;
    const two = await service.client.mint({ namingAuthority: service.other, alternateIds: [alternateId] });
    expect(two.status).toBe(201);
    expect(await find(alternateId, null)).toEqual([one, two.body.identifier]);
    expect(await find(alternateId)).toEqual([one]);
    expect(await find(alternateId, service.other)).toEqual([two.body.identifier]);
  });

  it('of twenty mints at once with one alternate, one gets it and the others learn which', async () => {
    const spellings = ['doi:10.1000/race', 'https://doi.org/10.1000/RACE', 'hdl:10.1000/Race'];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        service.client.mint({ alternateIds: [`demo:race-${i}`, spellings[i % spellings.length]] }),
      ),
    );
    const winners = answers.filter(({ status }) => status === 201);
    expect(winners).toHaveLength(1);
    const path = `/identifiers/${winners[0]!.body.identifier}`;
    for (const { status, body } of answers.filter((answer) => answer !== winners[0])) {
      expect([status, body.code, body.existing]).toEqual([409, 'ALTERNATE_ID_TAKEN', path]);
    }
    // A rejected mint stores nothing: its other alternate is free.
    const lost = answers.findIndex(({ status }) => status === 409);
    expect(await find(`demo:race-${lost}`)).toEqual([]);
    expect((await service.client.mint({ alternateIds: [`demo:race-${lost}`] })).status).toBe(201);
  });

  it('several of one identifier find it, in their order', async () => {
    const alternateIds = Array.from({ length: 100 }, (_, i) => `info:fedora/many:${99 - i}`);
    const minted = await service.client.mint({ alternateIds });
    expect([minted.status, minted.body.alternateIds]).toEqual([201, alternateIds]);
    expect(await find('many:50')).toEqual([minted.body.identifier]);
    const tooMany = await service.client.mint({ alternateIds: [...alternateIds, 'many:100'] });
    expect([tooMany.status, tooMany.body.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it('a replay by Idempotency-Key does not conflict with itself, in another form too', async () => {
    const key = { 'idempotency-key': randomUUID() };
    const first = await service.client.mint({ alternateIds: ['doi:10.1000/mine'] }, key);
    const again = await service.client.mint({ alternateIds: ['https://doi.org/10.1000/MINE'] }, key);
    expect([again.status, again.body.identifier]).toEqual([201, first.body.identifier]);
  });

  it('R-15: follows the case rule of a naming authority of ours', async () => {
    for (const [namingAuthority, caseInsensitive] of [
      [`${service.na}.501`, true],
      [`${service.na}.502`, false],
    ] as const) {
      const settings = { namingAuthority, profile: 'handle', caseInsensitive };
      expect((await service.client.post('/naming-authorities', settings)).status).toBe(201);
      const first = await service.client.mint({ alternateIds: [`${namingAuthority}/Old/Name`] });
      const again = await service.client.mint({ alternateIds: [`info:hdl/${namingAuthority}/oLD/nAME`] });
      expect(again.status).toBe(caseInsensitive ? 409 : 201);
      expect(await find(`${namingAuthority}/old/name`)).toEqual(caseInsensitive ? [first.body.identifier] : []);
    }
  });

  it.each([
    ['no identifier', ['word'], 'NOT_RECOGNIZED', '/alternateIds/0'],
    ['an unknown resolver', ['demo:1', 'https://example.org/1/2'], 'AUTHORITY_MISMATCH', '/alternateIds/1'],
    ['null', [null], 'INVALID_REQUEST', '/alternateIds'],
    ['a text', 'demo:1', 'INVALID_REQUEST', '/alternateIds'],
  ])('rejects %s', async (_, alternateIds, code, pointer) => {
    const answer = await service.client.mint({ alternateIds });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([400, code, pointer]);
  });
});
