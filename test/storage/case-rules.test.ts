import { describe, expect, it } from '@jest/globals';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { caseRuleOf, fixCaseRules } from '../../src/storage/identifiers/case-rules.js';

const RESOLVER = {
  scheme: 'https',
  authority: 'hdl.handle.net',
  firstSegment: null,
  prefix: 'https://hdl.handle.net/',
};
const authority = (prefix: string, caseInsensitive: boolean): NamingAuthority =>
  ({ prefix, profile: 'handle', caseInsensitive, state: 'active', metadataIdScheme: 'recognized' }) as never;
const known = new NamingAuthoritySnapshot([authority('20.1', true), authority('Lib', false)], RESOLVER as never);

function ruleOf(text: string, isClaim = false): string | null {
  const read = known.readAlternate(text);
  if (!read.ok) throw new Error(text);
  const { name, ...named } = read.value;
  const here = isClaim ? known.placeOf(name) : undefined;
  return caseRuleOf({ ...named, ...(here && { here }) });
}

const GUID = 'f58fb49e-b1f8-48f0-a606-e84cef294be5';

describe('the rule of case on which a stored name depends', () => {
  it.each([
    ['20.1/aB', 'true hdl:20.1'],
    ['hdl:Lib/aB', 'false hdl:Lib'],
    ['hdl:20.9/aB', 'false hdl:20.9'],
    ['doi:10.5/aB', 'true hdl:10.5'],
  ])('is that of its prefix: %s', (text, rule) => {
    expect(ruleOf(text)).toBe(rule);
  });

  it.each(['hdl:20.9/AB-%2F', `hdl:20.9/${GUID}`, `20.1/${GUID}`, 'info:fedora/demo:aB', `urn:uuid:${GUID}`])(
    'is none for %s',
    (text) => {
      expect(ruleOf(text)).toBeNull();
    },
  );

  it('is that of the local name that an alternate claims, although the key of a GUID has no case', () => {
    expect(ruleOf(`20.1/${GUID}`, true)).toBe('true hdl:20.1');
    expect(ruleOf(`20.9/${GUID}`, true)).toBeNull();
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
    const rules = ['true hdl:20.1', 'false hdl:20.2', 'false hdl:20.3'];
    const { sent, on } = sessionOf([NEW, LASTING, OTHER], [LASTING, OTHER], [OTHER]);
    for (let sentBefore = 0; sentBefore < 3; sentBefore++)
      expect([...(await fixCaseRules(on as never, rules))]).toEqual(['false hdl:20.3']);
    expect(sent).toEqual([
      ['{"20.1","20.2","20.3"}', [true, false, false]],
      ['{"20.1","20.3"}', [true, false]],
      ['{"20.3"}', [false]],
    ]);
    const another = sessionOf([LASTING]);
    await fixCaseRules(another.on as never, ['true hdl:20.1']);
    expect(another.sent).toHaveLength(1);
  });

  it('are fixed for prefixes in upper case, and those that differ are returned', async () => {
    const { sent, on } = sessionOf([NEW, OTHER]);
    const others = await fixCaseRules(on as never, ['true hdl:20.1', 'false hdl:Lib']);
    expect(sent).toEqual([['{"20.1","LIB"}', [true, false]]]);
    expect([...others]).toEqual(['false hdl:Lib']);
    expect((await fixCaseRules(on as never, [])).size).toBe(0);
    expect(sent).toHaveLength(1);
    // No naming authority can have so long a prefix.
    expect((await fixCaseRules(on as never, [`true hdl:${'x'.repeat(256)}`])).size).toBe(0);
    expect(sent).toHaveLength(1);
  });
});
