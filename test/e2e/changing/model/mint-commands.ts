import fc from 'fast-check';
import type { MintCommand } from './mint-rules.js';
import { type MintRequest, mint } from './minting.js';
import type { NamePick } from './names.js';
import type { Registry } from './registry.js';
import { ModelCommand } from './command.js';

const index = fc.nat({ max: 8 });

/** The weights make most names equal to existing or given ones, so that commands conflict. */
export const nameFrom = (...usual: NamePick['from'][]): fc.Arbitrary<NamePick> =>
  fc.record({
    from: fc.oneof(
      { weight: 5, arbitrary: fc.constantFrom(...usual) },
      { weight: 1, arbitrary: fc.constantFrom('guid' as const, 'entry' as const) },
    ),
    index: fc.nat({ max: 2 }),
    authority: fc.nat({ max: 1 }),
  });

export const target = fc.constantFrom('https://a.example.org/1', 'https://b.example.org/2');
export const alternates = fc.array(nameFrom('other', 'other', 'record'), { maxLength: 2 });

const mostly = <T>(usual: T, other: T, weight = 4): fc.Arbitrary<T> =>
  fc.oneof({ weight, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constant(other) });

interface CommandPick {
  readonly authority: number;
  readonly metadata: NamePick | null;
  readonly pair: boolean;
  readonly target: string | null;
  readonly alternates: readonly NamePick[];
  readonly guid: number | null;
  readonly reserved: boolean;
  readonly onExisting: MintCommand['onExisting'];
}

const mintCommand = (
  guid: fc.Arbitrary<number | null>,
  onExisting: fc.Arbitrary<MintCommand['onExisting']>,
): fc.Arbitrary<CommandPick> =>
  fc.record({
    authority: mostly(0, 1),
    metadata: fc.option(nameFrom('record'), { freq: 4 }),
    pair: mostly(false, true),
    target: fc.option(target, { freq: 2 }),
    alternates: fc.oneof(fc.constant([]), alternates),
    guid,
    reserved: mostly(false, true),
    onExisting,
  });

function commandOf({ authority, metadata, pair, guid, ...rest }: CommandPick, registry: Registry): MintCommand {
  const { authorities, guids } = registry.names;
  const { target, reserved, onExisting } = rest;
  return {
    namingAuthority: authorities[authority] ?? '',
    metadataId: metadata === null ? null : registry.canonical(metadata),
    pair: pair && metadata === null,
    target,
    alternateIds: [...new Set(rest.alternates.map((pick) => registry.canonical(pick)))],
    guid: guid === null ? null : (guids[guid] ?? null),
    reserved,
    onExisting,
  };
}

interface MintPick {
  readonly mode: MintRequest['mode'];
  readonly items: readonly CommandPick[];
  readonly key: number | null;
  readonly spelling: number;
}

const minting = (title: string, mode: fc.Arbitrary<MintPick['mode']>, items: fc.Arbitrary<CommandPick[]>) =>
  fc.record({ mode, items, key: fc.option(fc.nat({ max: 2 }), { freq: 2 }), spelling: index }).map(
    (pick) =>
      new ModelCommand<MintPick>(
        title,
        pick,
        async (registry, real, { mode, items, key, spelling }) => {
          const request = {
            mode,
            items: items.map((each) => commandOf(each, registry)),
            key: key === null ? null : `run-${registry.names.run}-${key}`,
          };
          if (key !== null) registry.sent.push(request);
          await mint(registry, real, request, spelling);
        },
        false,
      ),
  );

const alone = (guid: fc.Arbitrary<number | null>) =>
  mintCommand(guid, fc.constantFrom('match', 'match', 'match', 'return', 'reject', 'update', 'update')).map((each) => [
    each,
  ]);

export const mints = minting('mint', fc.constant('alone' as const), alone(fc.constant(null)));
export const registers = minting('register', fc.constant('alone' as const), alone(fc.nat({ max: 2 })));
export const batches = minting(
  'batch',
  fc.constantFrom('perItem' as const, 'atomic' as const),
  fc.array(
    mintCommand(
      fc.option(fc.nat({ max: 2 }), { freq: 2 }),
      fc.constantFrom('match', 'match', 'match', 'match', 'return', 'reject'),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
);

/** Sends an earlier request again with its key: in another notation, or with another body. */
export const replays = fc.record({ index, spelling: index, isOther: mostly(false, true, 2) }).map(
  (pick) =>
    new ModelCommand(
      'replay',
      pick,
      async (registry, real, { index, spelling, isOther }) => {
        const request = registry.sent[index % Math.max(1, registry.sent.length)];
        if (request === undefined) return;
        const items = request.items.map((each) => ({ ...each, target: 'https://other.example.org/' }));
        await mint(registry, real, isOther ? { ...request, items } : request, spelling);
      },
      false,
    ),
);
