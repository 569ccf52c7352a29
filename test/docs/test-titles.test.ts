import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');

/** The titles of tests and of groups of tests in a file, with their placeholders, longest first. */
function titlesOf(path: string): string[] {
  const source = ts.createSourceFile(path, read(path), ts.ScriptTarget.Latest);
  const titles: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [title, body] = node.arguments;
      if (title && body && ts.isArrowFunction(body)) {
        if (ts.isStringLiteralLike(title)) titles.push(title.text);
        else if (ts.isTemplateExpression(title)) titles.push(title.getText(source).slice(1, -1));
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return titles.sort((one, other) => other.length - one.length);
}

/** The cells of the column "test" in all tables of a document. */
function testCellsOf(document: string): string[] {
  let column = -1;
  const cells: string[] = [];
  for (const line of document.split('\n')) {
    const row = line.split('|').map((cell) => cell.trim());
    if (row.length < 3) column = -1;
    else if (column < 0) column = row.indexOf('test');
    else if (!/^-+$/.test(row[column] ?? '-')) cells.push(row[column] ?? '');
  }
  return cells;
}

describe('docs/explanation/reliability.md', () => {
  const cells = testCellsOf(read('docs/explanation/reliability.md'));

  it('names a file that exists, or says that there is none, in each cell of the column "test"', () => {
    expect(cells.length).toBeGreaterThan(60);
    const paths = cells.flatMap((cell) => [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path));
    expect(paths.length).toBeGreaterThan(50);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    expect(cells.filter((cell) => !/`test\/|^same file|^no test|^by hand|^not measured/.test(cell))).toEqual([]);
  });

  it('quotes only titles of tests in the file that it names before them', () => {
    let path = '';
    const wrong: string[] = [];
    let quoted = 0;
    const titles = new Map<string, string[]>();
    for (const cell of cells)
      for (const part of cell.split(/(?=`test\/)/)) {
        path = /^`(test\/[^`]+)`/.exec(part)?.[1] ?? path;
        let rest = part;
        titles.set(path, titles.get(path) ?? titlesOf(path));
        for (const title of titles.get(path) ?? []) rest = rest.replace(`"${title}"`, () => ((quoted += 1), ''));
        if (rest.includes('"')) wrong.push(`${path}: ${rest.slice(rest.indexOf('"'))}`);
      }
    expect(wrong).toEqual([]);
    expect(quoted).toBeGreaterThan(60);
  });
});
