import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);
const retired = new Set<string>(JSON.parse(readFileSync(new URL('retired-names.json', import.meta.url), 'utf8')));

function identifiersOf(path: string): string[] {
  const source = ts.createSourceFile(path, readFileSync(new URL(path, root), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

describe('docs/glossary.md', () => {
  it.each(['src', 'test', 'bench'])('no file of %s uses a name that the glossary replaced', (folder) => {
    const files = readdirSync(new URL(`${folder}/`, root), { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.(ts|js)$/.test(name) && !name.includes('generated'),
    );
    expect(files.length).toBeGreaterThan(10);
    const uses = files.flatMap((name) =>
      [...new Set(identifiersOf(`${folder}/${name}`))]
        .filter((each) => retired.has(each))
        .map((each) => `${name}: ${each}`),
    );
    expect(uses).toEqual([]);
  });
});
