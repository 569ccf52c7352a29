import type { NewIdentifier } from './new-identifier.js';

/**
 * Parts what one statement may insert from what would meet a row of the same statement in a unique index: the same local
 * name, metadata ID, alternate, or place of a request.
 */
export function withoutMeetings<T extends { readonly item: NewIdentifier }>(
  drafts: readonly T[],
): { now: T[]; later: T[] } {
  const seen = new Set<string>();
  const now: T[] = [];
  const later: T[] = [];
  for (const draft of drafts) {
    const keys = keysOf(draft.item);
    if (keys.some((key) => seen.has(key))) later.push(draft);
    else now.push(draft);
    for (const key of keys) seen.add(key);
  }
  return { now, later };
}

function keysOf({ authority, ownKey, metadata, alternates, request, actor }: NewIdentifier): string[] {
  const { prefix } = authority;
  return [
    // What was made just now meets nothing.
    ...(ownKey === null ? [] : [`own ${ownKey}`]),
    ...(metadata === null ? [] : [`metadata ${prefix} ${metadata.key}`]),
    ...alternates.map(({ key }) => `alternate ${prefix} ${key}`),
    ...(request === null ? [] : [`request ${request.index} ${JSON.stringify([actor.client, request.key])}`]),
  ];
}
