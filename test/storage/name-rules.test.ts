import { describe, expect, it } from '@jest/globals';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { fixNameRules, rulesOf } from '../../src/storage/identifiers/name-rules.js';

const RESOLVER = {
  scheme: 'https',
  authority: 'hdl.handle.net',
  firstSegment: null,
  prefix: 'https://hdl.handle.net/',
};
const authority = (prefix: string, caseInsensitive: boolean, profile = 'handle'): NamingAuthority =>
  ({ prefix, profile, caseInsensitive, state: 'active', metadataIdScheme: 'recognized' }) as never;
const known = new NamingAuthoritySnapshot(
  [authority('20.1', true), authority('Lib', false), authority('20.3', false, 'cordra')],
  RESOLVER as never,
);

function namedIn(text: string, isClaim = false, reader = known): string[] {
  const read = reader.readAlternate(text);
  if (!read.ok) throw new Error(text);
  const { name, ...named } = read.value;
  const here = isClaim ? reader.placeOf(name) : undefined;
  return rulesOf({ ...named, ...(here && { here }) });
}

const caseRuleIn = (text: string, isClaim = false) =>
  namedIn(text, isClaim).find((rule) => rule.startsWith('case_insensitive'));
const profileIn = (text: string) => namedIn(text).find((rule) => rule.startsWith('profile'));

const GUID = 'f58fb49e-b1f8-48f0-a606-e84cef294be5';

describe('the rule of case on which a stored name depends', () => {
  it.each([
    ['20.1/aB', 'case_insensitive true hdl:20.1'],
    ['hdl:Lib/aB', 'case_insensitive false hdl:Lib'],
    ['hdl:20.9/aB', 'case_insensitive false hdl:20.9'],
    ['doi:10.5/aB', 'case_insensitive true hdl:10.5'],
  ])('is that of its prefix: %s', (text, rule) => {
    expect(caseRuleIn(text)).toBe(rule);
  });

  it.each(['hdl:20.9/AB-%2F', `hdl:20.9/${GUID}`, `20.1/${GUID}`, 'info:fedora/demo:aB', `urn:uuid:${GUID}`])(
    'is none for %s',
    (text) => {
      expect(caseRuleIn(text)).toBeUndefined();
    },
  );

  it('is that of the local name that an alternate claims, although the key of a GUID has no case', () => {
    expect(caseRuleIn(`20.1/${GUID}`, true)).toBe('case_insensitive true hdl:20.1');
    expect(caseRuleIn(`20.9/${GUID}`, true)).toBeUndefined();
  });
});

describe('the profile on which a stored name depends', () => {
  const HEX = GUID.replaceAll('-', '');

  it.each([
    ['20.1/AB', 'profile handle hdl:20.1'],
    ['hdl:20.9/ab', 'profile handle hdl:20.9'],
    ['doi:10.5/123', 'profile handle hdl:10.5'],
    [`hdl:20.9/${HEX}0`, 'profile handle hdl:20.9'],
    // As a query, é would have to be escaped.
    [`20.9/${GUID}?é`, 'profile handle hdl:20.9'],
  ])('is "handle" if the local name is not a GUID: %s', (text, rule) => {
    expect(profileIn(text)).toBe(rule);
  });

  it.each([`20.1/${GUID}`, `20.1/${HEX}`, `20.9/${GUID}`, `20.9/${HEX}`, `20.3/${GUID}`, 'info:fedora/demo:1'])(
    'is none for %s',
    (text) => {
      expect(profileIn(text)).toBeUndefined();
    },
  );

  it('is none under a prefix that cannot have the profile "cordra", and under one that is hidden and has it', () => {
    expect(profileIn('hdl:Lib/AB')).toBeUndefined();
    const other = known.seenBy({}, (prefix) => prefix !== '20.3');
    expect(namedIn('hdl:20.3/aB', false, other)).toEqual(['case_insensitive false hdl:20.3']);
  });
});

describe('the rules of names', () => {
  const sessionOf = (...answers: { is_other: boolean; is_lasting: boolean }[][]) => {
    const sent: unknown[] = [];
    const query = ({ values }: { values: unknown[] }) => {
      sent.push(values);
      return Promise.resolve({ rows: answers.shift() });
    };
    return { sent, on: { query } };
  };
  const [NEW, LASTING, OTHER] = [
    { is_other: false, is_lasting: false },
    { is_other: false, is_lasting: true },
    { is_other: true, is_lasting: true },
  ];

  it('are sent once for each session if they were committed before, whoever writes the names', async () => {
    const rules = ['case_insensitive true hdl:20.1', 'profile handle hdl:20.1', 'case_insensitive false hdl:20.3'];
    const { sent, on } = sessionOf([NEW, LASTING, OTHER], [LASTING, OTHER], [OTHER]);
    for (let sentBefore = 0; sentBefore < 3; sentBefore++)
      expect([...(await fixNameRules(on as never, rules))]).toEqual(['case_insensitive false hdl:20.3']);
    expect(sent).toEqual([
      ['{"20.1","20.1","20.3"}', '{"case_insensitive","profile","case_insensitive"}', '{"true","handle","false"}'],
      ['{"20.1","20.3"}', '{"case_insensitive","case_insensitive"}', '{"true","false"}'],
      ['{"20.3"}', '{"case_insensitive"}', '{"false"}'],
    ]);
    const another = sessionOf([LASTING]);
    await fixNameRules(another.on as never, ['case_insensitive true hdl:20.1']);
    expect(another.sent).toHaveLength(1);
  });

  it('are fixed for prefixes in upper case, and those that differ are returned', async () => {
    const { sent, on } = sessionOf([NEW, OTHER]);
    const others = await fixNameRules(on as never, [
      'case_insensitive true hdl:20.1',
      'case_insensitive false hdl:Lib',
    ]);
    expect(sent).toEqual([['{"20.1","LIB"}', '{"case_insensitive","case_insensitive"}', '{"true","false"}']]);
    expect([...others]).toEqual(['case_insensitive false hdl:Lib']);
    expect((await fixNameRules(on as never, [])).size).toBe(0);
    expect(sent).toHaveLength(1);
    // No naming authority can have so long a prefix.
    expect((await fixNameRules(on as never, [`profile handle hdl:${'x'.repeat(256)}`])).size).toBe(0);
    expect(sent).toHaveLength(1);
  });
});
