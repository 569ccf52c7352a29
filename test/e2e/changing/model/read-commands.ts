import { expect } from '@jest/globals';
import fc from 'fast-check';
import { matches } from './lifecycle-rules.js';
import { nameFrom } from './mint-commands.js';
import type { NamePick } from './names.js';
import { type Entry, type Registry, type State, identifierOf } from './registry.js';
import { ModelCommand } from './command.js';
import { type Real, expectInOrder, expectResolved, expectShown } from './real.js';

const spelling = fc.nat({ max: 8 });

/** Reads a whole list, page by page. */
export async function list(real: Real, query: Record<string, string>): Promise<any[]> {
  const items: any[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const parameters = new URLSearchParams({ ...query, ...(cursor !== '' && { cursor }) });
    const { status, body } = await real.client.get(`/identifiers?${parameters.toString()}`);
    expect(status).toBe(200);
    expect(body.items.length).toBeLessThanOrEqual(Number(query.limit));
    items.push(...(body.items as Record<string, unknown>[]));
    cursor = body.next as string | null;
  }
  return items;
}

/** A list contains exactly these identifiers, in the order of minting. */
export function expectListed(items: readonly any[], entries: readonly Entry[], registry: Registry): void {
  const shown = new Map(items.map((item) => [item.identifier as string, item]));
  expectInOrder(
    items.map(({ identifier }) => identifier as string),
    entries,
  );
  for (const entry of entries) expectShown(shown.get(identifierOf(entry)), entry, registry);
}

interface ListPick {
  readonly by: 'namingAuthority' | 'metadataId' | 'alternateId';
  readonly authority: number;
  readonly name: NamePick;
  readonly state: State | null;
  readonly limit: number;
  readonly spelling: number;
}

export const lists = fc
  .record({
    by: fc.constantFrom<ListPick['by'][]>('namingAuthority', 'metadataId', 'alternateId'),
    authority: fc.nat({ max: 1 }),
    name: nameFrom('record', 'other'),
    state: fc.option(fc.constantFrom<State[]>('active', 'reserved', 'withdrawn'), { freq: 2 }),
    limit: fc.integer({ min: 1, max: 5 }),
    spelling,
  })
  .map(
    (pick) =>
      new ModelCommand<ListPick>(
        'list',
        pick,
        async (registry, real, { by, authority, name, state, limit, spelling }) => {
          const prefix = registry.names.authorities[authority] ?? '';
          const canonical = registry.canonical(name);
          const value = by === 'namingAuthority' ? prefix : registry.text(canonical, spelling);
          const query = { [by]: value, limit: String(limit), ...(state !== null && { state }) };
          const isListed = (entry: Entry): boolean =>
            (state === null || entry.state === state) &&
            {
              namingAuthority: entry.namingAuthority === prefix,
              metadataId: entry.metadataId === canonical,
              alternateId: entry.alternateIds.includes(canonical),
            }[by];
          expectListed(await list(real, query), registry.entries.filter(isListed), registry);
        },
        false,
      ),
  );

export const lookups = fc
  .record({ names: fc.array(nameFrom('record', 'other', 'entry', 'guid'), { minLength: 1, maxLength: 4 }), spelling })
  .map(
    (pick) =>
      new ModelCommand(
        'lookup',
        pick,
        async (registry, real, { names, spelling }) => {
          const canonicals = names.map((name) => registry.canonical(name));
          const inputs = canonicals.map((canonical, index) => registry.text(canonical, spelling + index));
          const { status, body } = await real.client.post('/identifiers/lookup', { items: inputs });
          expect([status, body.items.length]).toEqual([200, inputs.length]);
          canonicals.forEach((canonical, index) => {
            expectFound(body.items[index], inputs[index] ?? '', canonical, registry);
          });
        },
        false,
      ),
  );

function expectFound(item: any, input: string, canonical: string, registry: Registry): void {
  const [first, ...more] = matches(registry, canonical);
  const equal = [first, ...more].flatMap((match) => (match?.matchedBy === first?.matchedBy && match ? [match] : []));
  const foundAs = equal.length > 1 ? 'ambiguous' : 'found';
  const { outcome, matchedBy, identifier, record, others } = item;
  expect([item.input, item.canonical]).toEqual([input, canonical]);
  expect([outcome, matchedBy, identifier]).toEqual(
    first === undefined ? ['missing', null, undefined] : [foundAs, first.matchedBy, first.identifier],
  );
  expect(item.candidates).toEqual(equal.length > 1 ? equal.map((match) => match.identifier).slice(0, 10) : undefined);
  if (first === undefined) return;
  const rest = new Set(more.map((match) => match.identifier).filter((each) => each !== first.identifier));
  expect([...(others as string[])].sort()).toEqual([...rest].sort());
  expectShown(record, registry.entries[registry.find(`hdl:${first.identifier}`)]!, registry);
}

/** An identifier of the alphabet in some form, registered or not. */
export const resolutions = fc.record({ name: nameFrom('guid', 'entry'), spelling }).map(
  (pick) =>
    new ModelCommand(
      'resolve',
      pick,
      async (registry, real, { name, spelling }) => {
        const canonical = registry.canonical(
          name.from === 'entry' && registry.entries.length === 0 ? { ...name, from: 'guid' } : name,
        );
        const text = encodeURIComponent(registry.text(canonical, spelling));
        const answer = await real.client.get(`/identifiers/${text}`);
        expectResolved(answer, registry.entries[registry.find(canonical)], registry);
      },
      false,
    ),
);
