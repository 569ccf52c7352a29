import { describe, expect, it } from '@jest/globals';
import { OPEN_ACCESS } from '../../src/access/principal.js';
import {
  type CurationCommand,
  type DecisionContext,
  decide,
  fingerprintSource,
  isMet,
  parseCommand,
} from '../../src/changing/curation-command.js';
import { Problem } from '../../src/problem/problem.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import { readMetadataId } from '../../src/registry/parse-names.js';
import { GUID, KNOWN, authorityWith, recordWith } from '../records.js';

const OTHER = 'A3D8BE7457C943FFB66ED4583059A8BA';
const AT = new Date('2026-11-20T09:30:00.000Z');
const CONTEXT: DecisionContext = { at: AT, known: KNOWN, other: null, principal: OPEN_ACCESS };

const changed = (values: object): CurationCommand => ({ step: 'changed', values });
const withdrawn = (replacedBy?: string): CurationCommand => ({
  step: 'withdrawn',
  reason: 'twice',
  ...(replacedBy !== undefined && { replacedBy }),
});

/** Two notations of one name, whose canonical forms differ. */
const NOTATIONS = [
  ['10.1234/Abc1', 'https://doi.org/10.1234/ABC1'],
  ['Ark/q', 'hdl:ARK/q'],
] as const;

/** Values with another name. */
const inOther = (values: object, name: string) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, typeof value === 'string' ? name : [name]]));

/** The code and the pointer with which work is rejected. */
const rejectionOf = (work: () => unknown) => {
  try {
    work();
  } catch (error) {
    if (error instanceof Problem) return [error.code, error.extensions.errors?.[0]?.pointer];
    throw error;
  }
  return null;
};

describe('parsing a command', () => {
  it.each([
    ['an empty command', {}, {}],
    ['a target', { target: 'https://a.example/' }, { target: 'https://a.example/' }],
    [
      'null',
      { metadataId: null, target: null, previousVersion: null },
      { metadata: null, target: null, previousVersion: null },
    ],
    [
      'a previous version',
      { previousVersion: 'demo:7' },
      { previousVersion: expect.objectContaining({ canonical: 'info:fedora/demo:7' }) },
    ],
    [
      'a metadata ID',
      { metadataId: 'demo:7' },
      { metadata: expect.objectContaining({ canonical: 'info:fedora/demo:7' }) },
    ],
    [
      'alternates in two notations of one name',
      { alternateIds: ['demo:8', 'info:fedora/demo:8', 'demo:9'] },
      {
        alternates: [
          expect.objectContaining({ canonical: 'info:fedora/demo:8' }),
          expect.objectContaining({ canonical: 'info:fedora/demo:9' }),
        ],
      },
    ],
  ])('%s', (_, values, parsed) => {
    expect(parseCommand(changed(values), KNOWN)).toEqual({ step: 'changed', values: parsed });
    expect(parseCommand({ step: 'activated', values }, KNOWN)).toEqual({ step: 'activated', values: parsed });
  });

  it.each([
    [changed({ metadataId: 'a b' }), ['NOT_RECOGNIZED', '/metadataId']],
    [changed({ metadataId: GUID }), ['MISSING_SEPARATOR', '/metadataId']],
    [changed({ alternateIds: ['demo:1', 'a b'] }), ['NOT_RECOGNIZED', '/alternateIds/1']],
    [withdrawn('a b'), ['NOT_RECOGNIZED', '/replacedBy']],
    [withdrawn('100.102/xyz'), ['INVALID_GUID', '/replacedBy']],
    [changed({ previousVersion: '100.102/xyz' }), ['INVALID_GUID', '/previousVersion']],
    ...(['deleted', 'expired', 'released', 'undone'] as const).map((reasonCode): [CurationCommand, string[]] => [
      { step: 'withdrawn', reasonCode, reason: 'x' },
      ['RESERVED_REASON_CODE', '/reasonCode'],
    ]),
  ])('%j is rejected with %j', (command, rejection) => {
    expect(rejectionOf(() => parseCommand(command, KNOWN))).toEqual(rejection);
  });
});

describe('the fingerprint source', () => {
  const sourceOf = (command: CurationCommand) => JSON.stringify(fingerprintSource('1/a', parseCommand(command, KNOWN)));

  it('is equal for two notations of the same request', () => {
    expect(sourceOf(changed({ metadataId: 'demo:7', alternateIds: ['demo:8'] }))).toBe(
      sourceOf(changed({ metadataId: 'info:fedora/demo:7', alternateIds: ['info:fedora/demo:8', 'demo:8'] })),
    );
    for (const [one, other] of NOTATIONS) {
      for (const values of [{ metadataId: one }, { alternateIds: [one] }, { previousVersion: one }])
        expect(sourceOf(changed(values))).toBe(sourceOf(changed(inOther(values, other))));
      expect(sourceOf(withdrawn(one))).toBe(sourceOf(withdrawn(other)));
      expect(sourceOf(withdrawn(one))).not.toBe(sourceOf(withdrawn('demo:7')));
    }
    expect(sourceOf(withdrawn(`hdl:100.102/${OTHER.toLowerCase()}`))).toBe(sourceOf(withdrawn(`100.102/${OTHER}`)));
  });

  // Stored results are found by these texts.
  it.each([
    [changed({}), '{"changed":"1/a"}'],
    [
      changed({ metadataId: null, target: null, alternateIds: [] }),
      '{"changed":"1/a","metadataId":null,"target":null,"alternateIds":[]}',
    ],
    [
      changed({ previousVersion: 'demo:7' }),
      '{"changed":"1/a","previousVersion":"05db6eee-dcff-8f36-223e-92aa196302f2"}',
    ],
    [changed({ previousVersion: null }), '{"changed":"1/a","previousVersion":null}'],
    [{ step: 'activated', values: {} } as const, '{"activated":"1/a"}'],
    [
      { step: 'activated', values: {}, metadataTarget: 'https://a.example/' } as const,
      '{"activated":"1/a","metadataTarget":"https://a.example/"}',
    ],
    [withdrawn(), '{"withdrawn":"1/a","reason":"twice","replacedBy":null}'],
    [{ ...withdrawn(), reasonCode: 'other' } as const, '{"withdrawn":"1/a","reason":"twice","replacedBy":null}'],
    [
      { ...withdrawn(), reasonCode: 'legal' } as const,
      '{"withdrawn":"1/a","reasonCode":"legal","reason":"twice","replacedBy":null}',
    ],
    [{ step: 'reinstated' } as const, '{"reinstated":"1/a"}'],
  ])('of %j is %s', (command, source) => {
    expect(sourceOf(command)).toBe(source);
  });

  it('differs for another precondition', () => {
    const sources = [undefined, '*', [{ isWeak: false, opaque: '"1"' }], [{ isWeak: true, opaque: '"1"' }]].map(
      (tags) => JSON.stringify(fingerprintSource('1/a', { step: 'reinstated' }, tags)),
    );
    expect(sources).toEqual([
      '{"reinstated":"1/a"}',
      '{"reinstated":"1/a","precondition":"*"}',
      '{"reinstated":"1/a","precondition":[{"isWeak":false,"opaque":"\\"1\\""}]}',
      '{"reinstated":"1/a","precondition":[{"isWeak":true,"opaque":"\\"1\\""}]}',
    ]);
  });
});

describe('the decision about a change', () => {
  const record = recordWith({
    metadataId: 'info:fedora/demo:7',
    target: 'https://a.example/',
    alternateIds: ['info:fedora/demo:8', 'info:fedora/demo:9'],
  });

  it.each([
    [{}, true],
    [{ target: 'https://a.example/' }, true],
    [{ target: 'https://b.example/' }, false],
    [{ target: null }, false],
    [{ metadataId: 'demo:7' }, true],
    [{ metadataId: null }, false],
    [{ alternateIds: ['demo:8', 'demo:9'] }, true],
    [{ alternateIds: ['demo:9', 'demo:8'] }, false],
    [{ alternateIds: ['demo:8'] }, false],
    [{ alternateIds: [] }, false],
  ])('%j needs no change: %s', (values, isSame) => {
    const step = parseCommand(changed(values), KNOWN);
    if (step.step !== 'changed') throw new Error('another step');
    expect(isMet(record, step.values)).toBe(isSame);
    expect(decide(record, step, CONTEXT)).toEqual(isSame ? null : { kind: 'changed', ...step.values });
  });

  it.each(NOTATIONS)('%s and %s are one name, which keeps the stored notation', (one, other) => {
    const stored = readMetadataId(one, KNOWN, '/metadataId').canonical;
    expect(readMetadataId(other, KNOWN, '/metadataId').canonical).not.toBe(stored);
    const before = recordWith({ metadataId: stored, alternateIds: [stored], previousVersion: stored });
    const values = { metadataId: other, alternateIds: [other], previousVersion: other };
    const decided = (more: object) => decide(before, parseCommand(changed({ ...values, ...more }), KNOWN), CONTEXT);
    expect(decided({})).toBeNull();
    expect(decided({ language: 'en' })).toEqual({ kind: 'changed', language: 'en' });
    expect(decided({ metadataId: null })).toEqual({ kind: 'changed', metadata: null });
    expect(decided({ alternateIds: [other, 'demo:7'] })?.alternates).toHaveLength(2);
  });

  it('two Handles with one comparison key are two names', () => {
    const handles = new NamingAuthoritySnapshot(
      [authorityWith({ prefix: '20.5', profile: 'handle' })],
      DEFAULT_RESOLVER,
    );
    const before = recordWith({ metadataId: `hdl:20.5/${OTHER}` });
    const step = parseCommand(changed({ metadataId: `20.5/${OTHER.toLowerCase()}` }), handles);
    expect(decide(before, step, { ...CONTEXT, known: handles })).toMatchObject({
      metadata: { canonical: `hdl:20.5/${OTHER.toLowerCase()}` },
    });
  });

  it('activates also where no value differs', () => {
    const step = parseCommand({ step: 'activated', values: { target: 'https://a.example/' } }, KNOWN);
    expect(decide(record, step, CONTEXT)).toMatchObject({ kind: 'activated', state: 'active', leaseUntil: null });
  });

  it.each(['changed', 'activated'] as const)(
    'CID-24: rejects %s with the identifier as its own metadata ID',
    (name) => {
      const values = { metadataId: `hdl:100.102/${GUID.toLowerCase()}?a=b` };
      const step = parseCommand({ step: name, values }, KNOWN);
      expect(rejectionOf(() => decide(record, step, CONTEXT))).toEqual(['METADATA_ID_IS_IDENTIFIER', '/metadataId']);
    },
  );
});

describe('the decision about a previous version', () => {
  const record = recordWith({ previousVersion: 'hdl:77.7/a' });
  const other = recordWith({ id: 8n, guid: OTHER, localName: OTHER });
  const decided = (values: object, context: Partial<DecisionContext> = {}, of = record) =>
    decide(of, parseCommand(changed(values), KNOWN), { ...CONTEXT, ...context });

  it.each([
    ['the stored one', { previousVersion: 'hdl:77.7/a' }, {}, null],
    ['another one', { previousVersion: `hdl:100.102/${OTHER}` }, { other }, `hdl:100.102/${OTHER}`],
    ['one of another registry', { previousVersion: '77.7/b' }, {}, 'hdl:77.7/b'],
  ])('%s', (_, values, context, text) => {
    const amendment = decided(values, context);
    expect(amendment === null ? null : amendment.previousVersion?.canonical).toBe(text);
  });

  it('the stored one stays where it cannot be set, as in the whole representation', () => {
    const of = recordWith({ previousVersion: `hdl:100.102/${OTHER}` });
    const cyclic = { ...other, previousVersion: `hdl:100.102/${GUID}` };
    const values = { previousVersion: `hdl:100.102/${OTHER}`, target: 'https://a.example/' };
    for (const found of [cyclic, { ...other, state: 'reserved' as const }, null])
      expect(decided(values, { other: found }, of)).toEqual({ kind: 'changed', target: 'https://a.example/' });
    const moved = { previousVersion: '77.7/a' };
    expect(decided(moved, {}, of)).toMatchObject({ previousVersion: { canonical: 'hdl:77.7/a' } });
  });

  it('null removes it, and is no change where there is none', () => {
    expect(decided({ previousVersion: null })).toEqual({ kind: 'changed', previousVersion: null });
    expect(decided({ previousVersion: null }, {}, other)).toBeNull();
  });

  it('a reserved identifier has none before its activation', () => {
    const reserved = recordWith({ state: 'reserved', leaseUntil: AT });
    expect(rejectionOf(() => decided({ previousVersion: '77.7/a' }, {}, reserved))).toEqual([
      'WRONG_STATE',
      '/previousVersion',
    ]);
    expect(decided({ previousVersion: null }, {}, reserved)).toBeNull();
    const step = parseCommand({ step: 'activated', values: { previousVersion: '77.7/a' } }, KNOWN);
    expect(decide(reserved, step, CONTEXT)).toMatchObject({
      kind: 'activated',
      previousVersion: { canonical: 'hdl:77.7/a' },
    });
  });

  it.each([
    ['is not registered', `100.102/${OTHER}`, {}],
    ['is the identifier itself', `100.102/${GUID}`, { other: record }],
    ['replaces the identifier', `100.102/${OTHER}`, { other: { ...other, previousVersion: `hdl:100.102/${GUID}` } }],
  ])('is rejected where it %s', (_, previousVersion, context) => {
    expect(rejectionOf(() => decided({ previousVersion }, context))).toEqual([
      'INVALID_PREDECESSOR',
      '/previousVersion',
    ]);
  });
});

describe('the decision about a replacement', () => {
  const record = recordWith();
  const other = recordWith({ id: 8n, guid: OTHER, localName: OTHER });
  const decided = (replacedBy: string | undefined, context: Partial<DecisionContext> = {}) =>
    decide(record, parseCommand(withdrawn(replacedBy), context.known ?? KNOWN), { ...CONTEXT, ...context })?.tombstone
      ?.replacedBy;

  it.each([
    ['no replacement', undefined, {}, null],
    ['an active identifier', `hdl:100.102/${OTHER}?x`, { other: other }, `hdl:100.102/${OTHER}`],
    ['a Handle of another service', '77.7/a', {}, 'hdl:77.7/a'],
    ['a Fedora PID', 'demo:7', {}, 'info:fedora/demo:7'],
  ])('%s', (_, replacedBy, context, text) => {
    expect(decided(replacedBy, context)).toBe(text);
  });

  it('a withdrawal for legal reasons keeps the one of the withdrawal before, unless it names another one', () => {
    const tombstone = { withdrawnAt: AT, reasonCode: 'duplicate' as const, reason: 'x', replacedBy: 'hdl:77.7/a' };
    const of = recordWith({ state: 'withdrawn', tombstone });
    const legal = (replacedBy?: string) =>
      decide(of, parseCommand({ ...withdrawn(replacedBy), reasonCode: 'legal' } as CurationCommand, KNOWN), CONTEXT);
    expect(legal()?.tombstone).toMatchObject({ reasonCode: 'legal', replacedBy: 'hdl:77.7/a' });
    expect(legal('77.7/b')?.tombstone).toMatchObject({ reasonCode: 'legal', replacedBy: 'hdl:77.7/b' });
  });

  it.each([
    ['is not registered', `100.102/${OTHER}`, {}],
    ['is withdrawn', `100.102/${OTHER}`, { other: { ...other, state: 'withdrawn' as const } }],
    ['is reserved', `100.102/${OTHER}`, { other: { ...other, state: 'reserved' as const } }],
    ['is the identifier itself', `100.102/${GUID}`, { other: record }],
    ['is hidden', '77.7/a', { known: KNOWN.seenBy({}, () => false) }],
  ])('is rejected where it %s', (_, replacedBy, context) => {
    expect(rejectionOf(() => decided(replacedBy, context))).toEqual(['REPLACEMENT_NOT_FOUND', '/replacedBy']);
  });
});
