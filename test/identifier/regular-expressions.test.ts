/**
 * No regular expression may backtrack on hostile text: recheck analyses each one in src/, except those of the generated
 * Prisma client.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import ts from 'typescript';

// The entry point for browsers is plain JavaScript; that for Node.js starts a worker, a native program or Java.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck');

const SOURCE = new URL('../../src/', import.meta.url);

interface Found {
  readonly file: string;
  readonly text: string;
}

const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => file.endsWith('.ts') && !file.startsWith('database/generated/'));
const literals = files.flatMap((file) => findAll(file, ts.isRegularExpressionLiteral));

describe('regular expressions of the sources', () => {
  it('are found, and the checker recognizes a vulnerable one', () => {
    expect(literals.map(({ file }) => file)).toEqual(expect.arrayContaining(['config/environment.ts']));
    expect(classify('/^(a+)+$/')).toBe('vulnerable');
  });

  it.each(literals)('$file: $text takes time in proportion to its text', ({ text }) => {
    expect(classify(text)).toBe('safe');
  });

  it('are never built at run time, where no check can analyze them', () => {
    expect(files.flatMap((file) => findAll(file, makesRegularExpression))).toEqual([]);
  });
});

function classify(literal: string): string {
  const end = literal.lastIndexOf('/');
  return checkSync(literal.slice(1, end), literal.slice(end + 1), { timeout: null }).status;
}

function findAll(file: string, matches: (node: ts.Node) => boolean): Found[] {
  const source = ts.createSourceFile(file, readFileSync(new URL(file, SOURCE), 'utf8'), ts.ScriptTarget.Latest, true);
  const found: Found[] = [];
  const visit = (node: ts.Node): void => {
    if (matches(node)) found.push({ file, text: node.getText() });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function makesRegularExpression(node: ts.Node): boolean {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}
