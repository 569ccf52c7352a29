import { beforeAll, describe, expect, it } from '@jest/globals';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useService } from '../harness/service.js';
import { limitMs } from '../harness/stalls.js';

const service = useService();

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const IDENTIFIER = `100.102/${GUID}`;
const RESERVED = '0123456789ABCDEF0123456789ABCDEF';

const lookUp = async (items: readonly string[], headers: Record<string, string> = {}) =>
  (await service.client.post('/identifiers/lookup', { items }, headers)).body.items;

beforeAll(async () => {
  // From here on any text can be a metadata ID, so that no text is malformed.
  const any = { namingAuthority: '20.600', profile: 'handle', metadataIdScheme: 'any' };
  for (const fields of [{ namingAuthority: '20' }, any]) {
    expect((await service.client.post('/naming-authorities', fields)).status).toBe(201);
  }
  const target = 'https://repo.example.org/objects/1';
  for (const fields of [
    { guid: GUID, target },
    { guid: RESERVED, state: 'reserved', leaseUntil: NEXT_YEAR },
    { namingAuthority: '20.600', localName: 'Report-2026' },
    { namingAuthority: '20.600', localName: '123456' },
  ]) {
    expect((await service.client.mint(fields)).status).toBe(201);
  }
});

describe('a text without a match, where any text can be a metadata ID', () => {
  it.each([
    ['a digit that is missing', `100.102/${GUID.slice(0, -1)}`, 'One digit is missing', 39],
    ['a digit that is missing in the middle, in a URI', `hdl:100.102/F58B${GUID.slice(5)}`, 'One digit is missing', 15],
    ['a digit too many', `100.102/F58FF${GUID.slice(4)}`, 'One digit is too many', 12],
    ['the letter O in place of 0', `100.102/${GUID.replace('0', 'O')}`, 'it looks like "0"', 23],
    ['another digit', `https://hdl.handle.net/100.102/E${GUID.slice(1)}`, 'has this name', 31],
    ['two digits exchanged', `100.102/5F${GUID.slice(2).toLowerCase()}`, 'has this name', 8],
    ['the last digits cut', `100.102/${GUID.slice(0, 20)}`, '12 digits are missing', 28],
    ['other characters at the end', `100.102/${GUID}v2`, '2 characters are too many', 40],
  ])('has a hint with the nearest name: %s', async (_, input, words, offset) => {
    const [item] = await lookUp([input]);
    expect(item).toMatchObject({ input, outcome: 'missing', matchedBy: null, reason: 'unknown' });
    expect(item.hint).toEqual({ detail: expect.stringContaining(words), offset, nearest: IDENTIFIER });
  });

  it.each([
    ['another case', '20.600/report-2026', '20.600/Report-2026', 7],
    ['a digit that is missing', '20.600/12356', '20.600/123456', 10],
    ['a hyphen', '20.600/123456-', '20.600/123456', 13],
  ])('has the nearest name of the profile "handle": %s', async (_, input, nearest, offset) => {
    const [item] = await lookUp([input]);
    expect(item).toMatchObject({ outcome: 'missing', reason: 'unknown', hint: { nearest, offset } });
  });

  it('says what it is, and has no hint for a prefix of others and for no name', async () => {
    const items = await lookUp([
      ...['99.999/abc', `hdl:100.103/${GUID}`, 'no such thing', '', 'demo:99', `100.102/${'0'.repeat(32)}`],
      ...['https://repo.example.org/unknown', 'F58FB49EB1F848F0A606E84CEF294BE', '100.102'],
    ]);
    expect(items.map(({ reason, hint }: any) => [reason, hint?.nearest ?? (hint && 'hint')])).toEqual(
      [
        ...[['foreign-prefix'], ['foreign-prefix'], ['not-a-name'], ['not-a-name'], ['unknown'], ['unknown', 'hint']],
        ...[['unknown'], ['not-a-name'], ['not-a-name']],
      ].map(([reason, hint]) => [reason, hint]),
    );
  });

  it('never has a reserved identifier as the nearest name, nor one of a short beginning', async () => {
    const items = await lookUp([`100.102/${RESERVED.slice(0, -1)}`, `100.102/${GUID.slice(0, 15)}`]);
    expect(items.map(({ reason, hint }: any) => [reason, hint.nearest])).toEqual([
      ['unknown', undefined],
      ['unknown', undefined],
    ]);
  });

  it('has the nearest name in the first 20 such texts of a request, and a hint in all of them', async () => {
    const items = await lookUp(Array.from({ length: 1000 }, () => `100.102/${GUID.slice(0, -1)}`));
    const having = items.filter(({ hint }: any) => hint.nearest === IDENTIFIER);
    expect([items.every(({ hint }: any) => hint.detail.startsWith('One digit')), having.length]).toEqual([true, 20]);
  });

  it('has no reason and no hint where something matches', async () => {
    const [item] = await lookUp([IDENTIFIER]);
    expect([item.outcome, 'reason' in item, 'hint' in item]).toEqual(['found', false, false]);
  });
});

describe('a name in a text', () => {
  it.each([
    '100.102/F58FB49E-B1F8-48F0-A606-E84CEF294BE5',
    `Handle: ${IDENTIFIER}`,
    `Handle:${IDENTIFIER}`,
    `see ${IDENTIFIER} (v2)`,
    `see hdl:${IDENTIFIER}, page 7`,
    `100.102 / ${GUID}`,
    `100.102/ ${GUID}`,
    `100.102\u200b/\u200bF58FB49EB1F848F0\u200bA606E84CEF294BE5`,
    `\ufeff100.102/${GUID}\u00a0`,
    `[https://hdl.handle.net/${IDENTIFIER}]`,
    `Available at <https://hdl.handle.net/${IDENTIFIER}>.`,
    `Smith, J. (2026): On names. doi:10.5555/12345678, http://hdl.handle.net/${IDENTIFIER.toLowerCase()}!`,
  ])('is found: %j', async (input) => {
    const [item] = await lookUp([input]);
    expect(item).toMatchObject({ input, outcome: 'found', matchedBy: 'identifier', identifier: IDENTIFIER });
  });

  it('is found in every URL of this service', async () => {
    const { base } = service.client;
    const urls = [
      `${base}/${IDENTIFIER}`,
      `see ${base}/${IDENTIFIER}?noredirect`,
      `(${base}/identifiers/${IDENTIFIER}).`,
    ];
    const items = await lookUp([...urls, `${base}/hdl:${IDENTIFIER}`, `${base}/health/ready`]);
    expect(items.map(({ outcome }: any) => outcome)).toEqual(['found', 'found', 'found', 'found', 'missing']);
  });

  it('has the reason and the hint of that name where it is not registered', async () => {
    const items = await lookUp([`Handle: 100.102/${GUID.slice(0, -1)} (v2)`, 'see 99.999/abc (v2)']);
    expect(items[0]).toMatchObject({ reason: 'unknown', hint: { offset: 47, nearest: IDENTIFIER } });
    expect(items[1].reason).toBe('foreign-prefix');
  });

  it('is found where the text as a whole could be a local name, but is not registered', async () => {
    const items = await lookUp(['20.600/123456 (v2)', '20.600/123456;']);
    expect(items.map(({ identifier }: any) => identifier)).toEqual(['20.600/123456', '20.600/123456']);
  });

  it('costs little where a text has 16,000 words or slashes', async () => {
    const start = performance.now();
    const texts = ['a/b '.repeat(4096), '1 / '.repeat(4096), '/'.repeat(16_384), '1.'.repeat(8192), ' '.repeat(16_384)];
    expect(await lookUp(texts)).toHaveLength(5);
    expect(performance.now() - start).toBeLessThan(limitMs(2000));
  });
});
