import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, root), 'utf8');

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

  it('names a file that exists in each cell of the column "test"', () => {
    expect(cells.length).toBeGreaterThan(25);
    const paths = cells.flatMap((cell) => [...cell.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path));
    expect(paths.length).toBeGreaterThan(35);
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
    expect(cells.filter((cell) => !cell.startsWith('`test/'))).toEqual([]);
  });
});
