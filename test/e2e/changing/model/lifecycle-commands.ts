import fc from 'fast-check';
import { expect } from '@jest/globals';
import type { Answer } from '../../harness/client.js';
import * as rules from './lifecycle-rules.js';
import { alternates, nameFrom, target } from './mint-commands.js';
import { type NamePick, asAlternate } from './names.js';
import { type Entry, type Registry, type State, ownName } from './registry.js';
import { ModelCommand } from './command.js';
import { type Real, expectRejected, expectShown } from './real.js';

type Condition = 'current' | 'any' | 'stale' | 'missing';

interface LifePick {
  /** The index of the identifier, among those whose state permits the command, or among all. */
  readonly at: number;
  readonly amongAll: boolean;
  readonly spelling: number;
  readonly ifMatch: Condition;
}

const lifePick = (usual: Condition) => ({
  at: fc.nat({ max: 8 }),
  amongAll: fc.constantFrom(false, false, false, true),
  spelling: fc.nat({ max: 8 }),
  ifMatch: fc.oneof(
    { weight: 4, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom<Condition>('current', 'any', 'stale', 'missing') },
  ),
});

/** The effect of a command on one identifier: the request, the codes that may reject it, and its change. */
interface Transition {
  readonly method: 'PATCH' | 'POST';
  readonly path: string;
  readonly body: object;
  readonly rejections: readonly string[];
  readonly needsIfMatch: boolean;
  readonly apply: () => void;
}

const step = <Pick extends LifePick>(
  title: string,
  picks: fc.Arbitrary<Pick>,
  states: readonly State[],
  transition: (registry: Registry, entry: Entry, pick: Pick) => Transition,
) =>
  picks.map(
    (pick) =>
      new ModelCommand<Pick>(
        title,
        pick,
        async (registry, real, { at, amongAll, ifMatch, spelling }) => {
          const fitting = amongAll ? [] : registry.entries.filter(({ state }) => states.includes(state));
          const candidates = fitting.length > 0 ? fitting : registry.entries;
          const entry = candidates[at % candidates.length]!;
          await attempt(registry, real, entry, transition(registry, entry, pick), ifMatch, spelling);
        },
        true,
      ),
  );

async function attempt(
  registry: Registry,
  real: Real,
  entry: Entry,
  transition: Transition,
  ifMatch: Condition,
  spelling: number,
) {
  const { method, path, body, needsIfMatch, apply } = transition;
  const tag = { current: () => real.currentTag(entry), any: () => '*', stale: () => real.staleTag(entry) };
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(ifMatch !== 'missing' && { 'if-match': await tag[ifMatch]() }),
  };
  const text = encodeURIComponent(registry.text(ownName(entry), spelling));
  const answer = await real.client.send(method, `/identifiers/${text}${path}`, headers, JSON.stringify(body));
  const rejections = [
    ...transition.rejections,
    ...(ifMatch === 'missing' && needsIfMatch ? ['PRECONDITION_REQUIRED'] : []),
    // The state is checked before the precondition.
    ...(ifMatch === 'stale' && !transition.rejections.includes('WRONG_STATE') ? ['PRECONDITION_FAILED'] : []),
  ];
  if (rejections.length > 0) {
    expectRejected(answer.status, answer.body, rejections);
    return;
  }
  apply();
  expectDone(answer, entry, registry);
  real.recordTag(answer);
}

function expectDone(answer: Answer, entry: Entry, registry: Registry): void {
  expect([answer.status, answer.body.code]).toEqual([200, undefined]);
  expectShown(answer.body, entry, registry);
}

interface PatchPick extends LifePick {
  readonly metadata: NamePick | null | undefined;
  readonly target: string | null | undefined;
  readonly alternates: readonly NamePick[] | undefined;
}

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 });

export const patches = step<PatchPick>(
  'patch',
  fc.record({
    ...lifePick('current'),
    metadata: maybe(fc.option(nameFrom('record'), { freq: 3 })),
    target: maybe(fc.option(target, { freq: 3 })),
    alternates: maybe(alternates),
  }),
  ['active', 'reserved'],
  (registry, entry, { metadata, target, alternates, spelling }) => {
    const metadataId = metadata == null ? metadata : registry.canonical(metadata);
    const alternateIds = alternates && [...new Set(alternates.map((pick) => registry.canonical(pick)))];
    const change = {
      ...(metadataId !== undefined && { metadataId }),
      ...(target !== undefined && { target }),
      ...(alternateIds !== undefined && { alternateIds }),
    };
    const body = {
      ...change,
      ...(metadataId != null && { metadataId: registry.text(metadataId, spelling) }),
      ...(alternateIds && {
        alternateIds: alternateIds.map((each, index) => asAlternate(registry.text(each, spelling + index))),
      }),
    };
    const rejections = rules.rejectionsOfChange(registry, entry, change);
    const apply = (): void => {
      rules.change(entry, change);
    };
    return { method: 'PATCH', path: '', body, rejections, needsIfMatch: true, apply };
  },
);

const REASON = 'The object was deposited twice.';

export const withdrawals = step<LifePick & { replacedBy: NamePick | null }>(
  'withdraw',
  fc.record({ ...lifePick('missing'), replacedBy: fc.option(nameFrom('entry', 'entry', 'record', 'other')) }),
  ['active', 'reserved'],
  (registry, entry, { replacedBy, spelling }) => {
    const name = replacedBy === null ? null : registry.canonical(replacedBy);
    const apply = (): void => {
      rules.withdraw(registry, entry, REASON, name);
    };
    const body = { reason: REASON, ...(name !== null && { replacedBy: registry.text(name, spelling + 1) }) };
    const rejections = rules.rejectionsOfWithdrawal(registry, entry, name);
    return { method: 'POST', path: '/withdraw', body, rejections, needsIfMatch: false, apply };
  },
);

const turn = (title: string, from: Entry['state'], turned: (registry: Registry, entry: Entry) => void) =>
  step<LifePick>(title, fc.record(lifePick('missing')), [from], (registry, entry) => ({
    method: 'POST',
    path: `/${title}`,
    body: {},
    rejections: entry.state === from ? [] : ['WRONG_STATE'],
    needsIfMatch: false,
    apply: () => {
      turned(registry, entry);
    },
  }));

export const activations = turn('activate', 'reserved', rules.activate);
export const reinstatements = turn('reinstate', 'withdrawn', (_, entry) => {
  rules.reinstate(entry);
});
