import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const STORAGE = new URL('../../src/storage/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, STORAGE), 'utf8');

describe('statements that read records', () => {
  const rows = read('identifiers/identifier-row.ts');
  const union = (name: string) =>
    [...(new RegExp(`type ${name} =([^;]*);`).exec(rows)?.[1] ?? '').matchAll(/'(\w+)'/g)].map(([, column]) => column!);
  const columns = [
    'naming_authority',
    'updated_at',
    'handle_values',
    ...union('StoredColumns'),
    ...union('NamingAuthorityColumns'),
    'expired',
    'describes',
    'newer_versions',
  ];
  const lists = readdirSync(STORAGE, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name) =>
      [
        ...read(name).matchAll(
          /SELECT (?:(?!SELECT)[^`])*?resolver_first_segment, (?:\w\.|'\{\}'::text\[\] AS )?describes, (?:\w\.|'\{\}'::text\[\] AS )?newer_versions\b/g,
        ),
      ].map(([list]) => [name, list] as const),
    );

  it('are found', () => {
    expect(columns.length).toBe(24);
    const readers = new Set(lists.map(([name]) => name));
    expect([...readers].sort()).toEqual([
      'identifiers/cache/resolution-reader.ts',
      'identifiers/coalesced-reader.ts',
      'identifiers/conflict-finder.ts',
      'identifiers/identifier-reader.ts',
      'identifiers/identifier-search.ts',
      'identifiers/page-query.ts',
    ]);
  });

  it.each(lists)('have every column of IdentifierRow: %s', (_, list) => {
    const selected = new Set([...list.matchAll(/\b(?:\w\.)?(\w+)(?=,|$)/g)].map(([, column]) => column));
    expect(columns.filter((column) => !selected.has(column))).toEqual([]);
  });
});
