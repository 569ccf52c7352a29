import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Context, type Kind, normalize } from '../../packages/identifier/src/index.js';

interface Vector {
  readonly id: string;
  readonly rule: string;
  readonly kind: Kind;
  readonly input: string;
  readonly context?: Context;
  readonly note?: string;
  readonly expect: {
    readonly valid: boolean;
    readonly normalized?: string;
    readonly parts?: Readonly<Record<string, unknown>>;
    readonly uris?: Readonly<Record<string, unknown>>;
    readonly equal?: boolean;
    readonly error?: string;
  };
}

/** Wrong vectors by ID, each with the reason; they are excluded. */
const HELD_WRONG: ReadonlyMap<string, string> = new Map([]);

/** Vectors of this project in the format of the published ones. */
const FILES = ['../vectors/public.json', './vectors.more.json'];

describe.each(FILES)('%s', (file) => {
  const { vectors } = JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as { vectors: Vector[] };
  const checked = vectors.filter((vector) => !HELD_WRONG.has(vector.id));

  it.each(checked.map((vector) => [title(vector), vector] as const))('%s', (_title, vector) => {
    const found = normalize(vector.input, vector.kind, vector.context);
    expect(found.valid ? 'valid' : found.fault.code).toBe(vector.expect.valid ? 'valid' : vector.expect.error);
    if (!found.valid) return;
    const { normalized, parts = {}, uris = {}, equal } = vector.expect;
    expect(found.normalized).toBe(normalized ?? found.normalized);
    expect(pick(found.parts, parts)).toEqual(parts);
    expect(pick({ ...found.uris, http: found.uris.resolver }, uris)).toEqual(uris);
    expect(found.equal).toBe(equal);
  });
});

/** The members of a vector; an absent one counts as null. */
function pick(found: object, expected: object): Record<string, unknown> {
  const all = new Map<string, unknown>(Object.entries(found));
  return Object.fromEntries(Object.keys(expected).map((key) => [key, all.get(key) ?? null]));
}

function title({ id, rule, note, input }: Vector): string {
  return `${id} ${rule}: ${note ?? JSON.stringify(input)}`;
}
