import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);

/** Words with a synonym in the glossary, which the code and the documents use, and where the word is right. */
const REPLACED: readonly (readonly [word: string, pattern: RegExp, exceptions: RegExp])[] = [
  ['refuse (reject)', /\brefus(?:e[sd]?|als?|ing)\b/i, /refuse to run as root|connection refused/],
  ['answer (response)', /\banswer(?:s|ed|ing)?\b/i, /Answer that it is a primary server/],
  [
    'octet (byte)',
    /\boctets?\b/i,
    /octet-stream|octet_length|dec-octet|escaped-octet|call them octets|FED-0[45]|UUID-0[23]|R-31/,
  ],
  ['face (interface)', /\bfaces?\b/i, /'FACES', 'INTERFACES'/],
];

const filesOf = (folder: string, pattern: RegExp): string[] =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => pattern.test(path) && !path.includes('generated'));

const files = [
  'README.md',
  ...filesOf('docs', /\.(?:md|yaml)$/),
  ...filesOf('src', /\.ts$/),
  ...filesOf('packages/identifier/src', /\.ts$/),
];

describe('docs/glossary.md', () => {
  it.each(REPLACED)('has another word for "%s", and code and documents use that', (_, pattern, exceptions) => {
    expect(files.length).toBeGreaterThan(400);
    const found = files.flatMap((path) =>
      readFileSync(new URL(path, root), 'utf8')
        .split('\n')
        .filter((line) => pattern.test(line) && !exceptions.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });
});
