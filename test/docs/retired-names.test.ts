import { readFileSync, readdirSync } from 'node:fs';
import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

/** Names that the glossary replaced; `exceptions` are those that stay, with the reason. */
interface RetiredNames {
  readonly identifiers: readonly string[];
  readonly files: readonly string[];
  readonly folders: readonly string[];
  readonly headings: readonly string[];
  readonly exceptions: Readonly<Record<string, string>>;
}

const root = new URL('../../', import.meta.url);
const retired: RetiredNames = JSON.parse(readFileSync(new URL('retired-names.json', import.meta.url), 'utf8'));
const identifiers = new Set(retired.identifiers);

const filesOf = (folder: string, pattern: RegExp): string[] =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' })
    .map((name) => `${folder}/${name}`)
    .filter((path) => pattern.test(path) && !/generated|node_modules|^packages\/\w+\/dist\//.test(path));

const code = ['src', 'packages', 'test', 'bench', 'scripts'].flatMap((folder) => filesOf(folder, /\.(ts|js)$/));
const documents = [
  ...filesOf('docs', /\.md$/),
  ...filesOf('packages', /\.md$/),
  ...filesOf('test', /\.md$/),
  ...readdirSync(root).filter((name) => name.endsWith('.md')),
];

/** A text without any of the words, in code or in comments, has none of the identifiers. */
const suspicious = new RegExp(String.raw`(?<![\w$])(${retired.identifiers.join('|')})(?![\w$])`);

function identifiersOf(path: string): string[] {
  const text = readFileSync(new URL(path, root), 'utf8');
  if (!suspicious.test(text)) return [];
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The words of a document in code quotes that are an identifier each. */
const codeWordsOf = (path: string): string[] =>
  [...readFileSync(new URL(path, root), 'utf8').matchAll(/`([A-Za-z_$][\w$]*)`/g)].map(([, word = '']) => word);

const usesIn = (paths: readonly string[], wordsOf: (path: string) => string[], names: ReadonlySet<string>): string[] =>
  paths.flatMap((path) =>
    [...new Set(wordsOf(path))].filter((word) => names.has(word)).map((word) => `${path}: ${word}`),
  );

describe('docs/glossary.md', () => {
  it.each(['src', 'packages', 'test', 'bench', 'scripts'])(
    'no file of %s uses an identifier that the glossary replaced',
    (folder) => {
      const files = code.filter((path) => path.startsWith(`${folder}/`));
      expect(files.length).toBeGreaterThan(5);
      expect(usesIn(files, identifiersOf, identifiers)).toEqual([]);
    },
  );

  it('no file or folder has a name that the glossary replaced', () => {
    const stem = (path: string): string => basename(path).replace(/(\.(e2e|test|d))?\.(ts|js)$/, '');
    expect(code.filter((path) => retired.files.includes(stem(path)))).toEqual([]);
    expect(code.filter((path) => path.split('/').some((part) => retired.folders.includes(part)))).toEqual([]);
    expect(code.filter((path) => path.endsWith('-answer.dto.ts'))).toEqual([]);
  });

  it('no document names an identifier or has a heading that was replaced', () => {
    expect(documents.length).toBeGreaterThan(70);
    const exceptions = new Set(Object.keys(retired.exceptions).flatMap((names) => names.split(', ')));
    const names = new Set(retired.identifiers.filter((name) => !exceptions.has(name)));
    expect(usesIn(documents, codeWordsOf, names)).toEqual([]);
    const headings = documents.flatMap((path) =>
      [...readFileSync(new URL(path, root), 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text.trim()),
    );
    expect(headings.filter((text) => retired.headings.includes(text))).toEqual([]);
  });

  it('gives a reason for each exception', () => {
    for (const [names, reason] of Object.entries(retired.exceptions))
      expect([names, reason.length > 20]).toEqual([names, true]);
  });
});
