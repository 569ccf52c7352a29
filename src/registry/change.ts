import { MEMBERS } from './members.js';
import type { MutableAttributes } from './identifier-record.js';
import { shownValues } from './stored-value.js';

/** Who made a change: the client, and the ID of its API key. */
export interface Actor {
  readonly client: string;
  readonly keyId: string | null;
}

export const SERVICE: Actor = { client: 'service', keyId: null };

export const CHANGE_KINDS = [
  ...['minted', 'registered', 'reserved', 'imported'],
  ...['activated', 'released', 'lapsed', 'changed', 'withdrawn', 'deleted', 'reinstated', 'created'],
] as const;
export type ChangeKind = (typeof CHANGE_KINDS)[number];

export type PatchOperation =
  | { readonly op: 'add'; readonly path: ''; readonly value: object }
  | { readonly op: 'replace'; readonly path: string; readonly value: unknown };

/** The JSON Patch (RFC 6902) that creates a document. */
export function creation(document: object): PatchOperation[] {
  return [{ op: 'add', path: '', value: document }];
}

export function difference<T extends object>(before: T, after: T): PatchOperation[] {
  return Object.entries(after)
    .filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof T]))
    .map(([name, value]) => ({ op: 'replace', path: `/${name}`, value: value as unknown }));
}

/** The document of an identifier to which its history applies, with the publicly readable values. */
export function mutableAttributesOf(record: MutableAttributes): MutableAttributes {
  const document = Object.fromEntries(MEMBERS.map(({ name }) => [name, record[name]])) as unknown as MutableAttributes;
  return { ...document, handleValues: shownValues(record.handleValues) };
}
