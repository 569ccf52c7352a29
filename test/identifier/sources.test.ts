import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

describe('packages/identifier/src', () => {
  const folder = new URL('../../packages/identifier/src/', import.meta.url);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => [name, readFileSync(new URL(name, folder), 'utf8')] as const);

  it.each(files)('%s imports nothing from outside', (name, text) => {
    const imports = [...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from);
    const isInside = (from = ''): boolean =>
      from.startsWith('.') && new URL(from, new URL(name, folder)).href.startsWith(folder.href);
    expect(imports.filter((from) => !isInside(from))).toEqual([]);
  });

  it.each(files)('%s has fewer than 300 lines, a header and no platform shortcut', (_name, text) => {
    expect(text.split('\n').length).toBeLessThan(300);
    expect(text.startsWith('/**')).toBe(true);
    expect(text).not.toMatch(/\b(?:encodeURIComponent|decodeURIComponent|new URL|process|Buffer|Date)\b\(/);
  });
});
