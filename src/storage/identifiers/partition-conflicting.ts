import type { NewIdentifier } from '../../registry/new-identifier.js';

/** Separates the rows that conflict with an earlier row of the same statement. */
export function partitionConflicting<T extends { readonly item: NewIdentifier }>(
  candidates: readonly T[],
): { now: T[]; later: T[] } {
  const seen = new Set<string>();
  const now: T[] = [];
  const later: T[] = [];
  for (const candidate of candidates) {
    const keys = keysOf(candidate.item);
    if (keys.some((key) => seen.has(key))) later.push(candidate);
    else now.push(candidate);
    for (const key of keys) seen.add(key);
  }
  return { now, later };
}

function keysOf({ authority, selfKey, metadata, alternates, request, actor }: NewIdentifier): string[] {
  const { prefix } = authority;
  return [
    // Generated names cannot conflict.
    ...(selfKey === null ? [] : [`own ${selfKey}`]),
    ...(metadata === null ? [] : [`metadata ${prefix} ${metadata.key}`]),
    ...alternates.map(({ key }) => `alternate ${prefix} ${key}`),
    ...(request === null ? [] : [`request ${request.index} ${JSON.stringify([actor.client, request.key])}`]),
  ];
}
