import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import { parseFilter } from '../../src/finding/parse-filter.js';
import { readInput } from '../../src/finding/read-input.js';
import { DEFAULT_RESOLVER, type Resolver, normalize, toResolver, urisOf } from '@mintmark/identifier';
import { addressIn, NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { NamingAuthority } from '../../src/registry/naming-authority.js';
import { denotes, isNameOf } from '../../src/registry/key-collision.js';
import { readAlternates, readMetadataId } from '../../src/registry/parse-names.js';
import { readPredecessor } from '../../src/registry/predecessor.js';
import { resolveIdentifier } from '../../src/registry/resolve-identifier.js';
import { Problem } from '../../src/problem/problem.js';
import { localNamesOf } from '../../src/handle/resolver/local-names.js';
import { readPath } from '../../src/finding/read-path.js';
import { authorityWith, recordWith } from '../records.js';

const RESOLVERS: readonly (Resolver | null)[] = [
  null,
  toResolver({ scheme: 'https', authority: 'pid.example.edu', firstSegment: 'hdl' }),
  toResolver({ scheme: 'https', authority: 'pid.example.edu' }),
  toResolver({ scheme: 'http', authority: 'id.example.org:8080', firstSegment: 'a' }),
];

interface Case {
  readonly authorities: readonly (NamingAuthority & { readonly isHidden: boolean })[];
  readonly prefix: string;
  readonly localName: string;
  readonly spellings: readonly ((prefix: string, localName: string) => string)[];
}

const authority = (prefix: string) =>
  fc
    .record({
      prefix: fc.constant(prefix),
      profile: /[A-Z]/i.test(prefix) ? fc.constant('handle' as const) : fc.constantFrom('cordra', 'handle'),
      caseInsensitive: fc.boolean(),
      resolver: fc.constantFrom(...RESOLVERS),
      isHidden: fc.boolean(),
    })
    .map(({ isHidden, ...members }) => ({ ...authorityWith(members), isHidden }));

const PREFIXES = ['777', '2000.01', '20.600', '10.1000', 'Ark'];

const hex = fc.stringMatching(/^[0-9a-f]{32}$/);
const hyphenated = (text: string): string => text.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
const guids = fc
  .tuple(
    hex,
    fc.constantFrom('lower', 'upper', 'mixed'),
    fc.boolean(),
    fc.constantFrom('', '', '', '?v=1', '#top', '?a#b'),
  )
  .map(([digits, letters, hasHyphens, tail]) => {
    const cased = letters === 'lower' ? digits : digits.toUpperCase();
    const mixed = letters === 'mixed' ? cased.slice(0, 16) + digits.slice(16) : cased;
    return (hasHyphens ? hyphenated(mixed) : mixed) + tail;
  });
const localNames = fc.oneof(
  guids,
  hex.map((digits) => digits.slice(1)),
  hex.map((digits) => `${digits}0`),
  fc.constantFrom('abc', 'ABC', 'Report-7', 'x.y/z', 'a b', '100%', 'Größe', 'a?b', 'a#b', 'a:b@c', 'deadbeef'),
);

const segment = (text: string): string => encodeURIComponent(text);
const SPELLINGS: Case['spellings'] = [
  (prefix, localName) => `${prefix}/${localName}`,
  (prefix, localName) => `  ${prefix}/${localName}\n`,
  (prefix, localName) => `hdl:${prefix}/${segment(localName)}`,
  (prefix, localName) => `HDL://${prefix}/${segment(localName)}`,
  (prefix, localName) => `info:hdl/${prefix}/${segment(localName)}`,
  (prefix, localName) => `http://hdl.handle.net/${prefix}/${segment(localName)}`,
  (prefix, localName) => `https://doi.org/${prefix}/${segment(localName)}`,
];

const cases = fc.record<Case>({
  authorities: fc
    .subarray(PREFIXES)
    .chain((prefixes) => fc.tuple(...prefixes.map(authority)))
    .map((found) => found as Case['authorities']),
  prefix: fc.constantFrom(...PREFIXES, '11858', '2000.02'),
  localName: localNames,
  spellings: fc.tuple(fc.constantFrom(...SPELLINGS), fc.constantFrom(...SPELLINGS)),
});

const snapshotOf = (authorities: Case['authorities']) => new NamingAuthoritySnapshot(authorities, DEFAULT_RESOLVER);

/** What a part of the service does with a text: its value, or the code of its rejection. */
const outcome = <T>(work: () => T): T | string => {
  try {
    return work();
  } catch (error) {
    if (error instanceof Problem) return error.code;
    throw error;
  }
};

/** What each part of the service makes of a text. */
async function readingsOf(text: string, known: NamingAuthoritySnapshot) {
  const read = known.recognize(text);
  const shown = normalize(text, undefined, known.contextOf());
  const { readings, fault } = readInput(text, known, 'service.example.org');
  let found: unknown = 'not looked up';
  const reader = { find: (address: unknown) => ((found = address), Promise.resolve(recordWith())) };
  const got = await resolveIdentifier(text, known, reader, '/identifier').then(
    ({ name }) => name,
    (error: unknown) => (error instanceof Problem ? error.code : Promise.reject(error as Error)),
  );
  return {
    read,
    shown,
    looked: { address: readings[0]?.searchKey.address ?? null, name: readings[0]?.searchKey.name, fault },
    got: { name: got, found },
    metadata: outcome(() => readMetadataId(text, known, '')),
    alternate: outcome(() => readAlternates([text], known, '')[0]),
    previousVersion: outcome(() => readPredecessor(text, known, '')),
  };
}

/** The addresses that the resolver looks up for a native text; null for a naming authority that it does not know. */
function resolved(native: string, known: NamingAuthoritySnapshot) {
  const reading = readPath(`/${encodeURIComponent(native)}`, known, 'service.example.org')!;
  const { authority: found } = reading;
  return found && localNamesOf(found, reading).candidates.map((localName) => addressIn(found, localName));
}

describe('the parts of the service that read names', () => {
  it('agree about one text, under random naming authorities', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ authorities, prefix, localName, spellings }) => {
        const all = snapshotOf(authorities);
        const view = all.seenBy({}, (each) => !authorities.some((one) => one.isHidden && one.prefix === each));
        const own = view.find(prefix)?.resolver;
        const ownUrl: Case['spellings'] = own ? [(_, name) => `${own.prefix}${prefix}/${segment(name)}`] : [];
        for (const known of [all, view]) {
          for (const spelling of [...spellings, ...ownUrl]) {
            const { read, shown, looked, got, metadata, alternate, previousVersion } = await readingsOf(
              spelling(prefix, localName),
              known,
            );
            if (!read.ok) {
              const { code } = read.fault;
              expect(shown).toMatchObject({ valid: false, fault: read.fault });
              expect(looked.fault?.code).toBe(code);
              expect([got.name, metadata, alternate, previousVersion]).toEqual([code, code, code, code]);
              continue;
            }
            const { name } = read.value;
            const address = known.locate(name);
            expect(shown).toMatchObject({
              valid: true,
              name,
              uris: urisOf(name, { resolver: known.resolverOf(name) }),
            });
            expect([looked.fault, looked.address]).toEqual([null, address]);
            if (address === null) expect(got.name).toBe('IDENTIFIER_NOT_FOUND');
            else expect(got).toEqual({ name, found: address });
            if (typeof metadata === 'string' || typeof alternate !== 'object' || typeof previousVersion === 'string')
              throw new Error('a name that the service knows was rejected');
            const { key, comparison } = known.canonicalName(name);
            for (const each of [metadata, alternate, previousVersion, looked.name])
              expect([each?.key, each?.comparison]).toEqual([key, comparison]);
            expect([denotes(metadata.canonical, alternate), denotes(alternate.canonical, metadata)]).toEqual([
              true,
              true,
            ]);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  it('say of a hidden naming authority what they say of one that does not exist', async () => {
    await fc.assert(
      fc.asyncProperty(cases, async ({ authorities, prefix, localName, spellings: [spelling] }) => {
        const isHidden = (each: string): boolean => authorities.some((one) => one.isHidden && one.prefix === each);
        const view = snapshotOf(authorities).seenBy({}, (each) => !isHidden(each));
        const without = snapshotOf(authorities.filter((each) => !each.isHidden));
        const text = spelling!(prefix, localName);
        const seen = await readingsOf(text, view);
        const alone = await readingsOf(text, without);
        expect([seen.read, seen.shown, seen.got]).toEqual([alone.read, alone.shown, alone.got]);
        expect([seen.looked.fault, seen.looked.address]).toEqual([alone.looked.fault, alone.looked.address]);
        const unchanged = ({ alternate }: typeof seen) =>
          typeof alternate === 'object' ? [alternate.canonical, alternate.comparison, alternate.rule] : alternate;
        expect(unchanged(seen)).toEqual(unchanged(alone));
        // What is stored and compared: the same for all, however much they see, if the text is one identifier or another Handle.
        const stored = (await readingsOf(text, snapshotOf(authorities))).metadata;
        if (typeof stored === 'string' || typeof seen.metadata === 'string') return;
        expect(seen.metadata.key).toBe(stored.key);
        if (!localName.includes('-')) expect(seen.metadata.canonical).toBe(stored.canonical);
      }),
      { numRuns: 500 },
    );
  });

  it('reject white space at the end of a name that may be part of it, where nothing looks up which name exists', () => {
    const known = snapshotOf([{ ...authorityWith({ prefix: '20.600', profile: 'handle' }), isHidden: false }]);
    const filter = (text: string) => parseFilter({ metadataId: text }, known, OPEN_ACCESS).metadata;
    const readers = [
      (text: string) => readMetadataId(text, known, '/x'),
      (text: string) => readAlternates([text], known, '/x')[0]!,
      (text: string) => readPredecessor(text, known, '/x'),
      filter,
    ];
    for (const reader of readers) {
      expect(outcome(() => reader('20.600/a '))).toBe('INVALID_REQUEST');
      expect(outcome(() => reader('hdl:20.600/a%20'))).toMatchObject({ canonical: 'hdl:20.600/a%20' });
      expect(outcome(() => reader(' 20.600/a'))).toMatchObject({ canonical: 'hdl:20.600/a' });
      expect(outcome(() => reader('20.700/a '))).toMatchObject({ canonical: 'hdl:20.700/a' });
    }
  });

  it('have one key for a registered identifier and the texts that denote it', () => {
    fc.assert(
      fc.property(cases, ({ authorities, prefix, localName, spellings: [spelling] }) => {
        const known = snapshotOf(authorities);
        const read = known.recognize(spelling!(prefix, localName));
        const address = read.ok ? known.locate(read.value.name) : null;
        const looked = resolved(`${prefix}/${localName}`, known);
        if (address === null) {
          expect(looked === null || looked.length === 0).toBe(true);
          return;
        }
        expect(looked?.[0]).toEqual(address);
        const record = { namingAuthority: prefix, guid: address.guid, localName: address.guid ?? localName };
        const stored = readMetadataId(spelling!(prefix, localName), known, '').canonical;
        expect(isNameOf(stored, record, known.find(prefix)?.caseInsensitive === true)).toBe(true);
        const hidden = known.seenBy({}, () => false);
        expect(readMetadataId(spelling!(prefix, localName), hidden, '').key).toBe(
          readMetadataId(spelling!(prefix, localName), known, '').key,
        );
      }),
      { numRuns: 500 },
    );
  });
});
