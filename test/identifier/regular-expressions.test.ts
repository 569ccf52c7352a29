/**
 * No regular expression may backtrack on hostile text: recheck analyses each one in src/ and in packages/, except
 * those of the generated Prisma client.
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import ts from 'typescript';

const ANALYSIS = fileURLToPath(new URL('analyze-expressions.js', import.meta.url));
const VULNERABLE = '/^(a+)+$/';

const ROOT = new URL('../../', import.meta.url);

interface Found {
  readonly file: string;
  readonly text: string;
}

const files = ['src', 'packages/identifier/src'].flatMap((folder) =>
  readdirSync(new URL(folder, ROOT), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.ts') && !file.startsWith('src/database/generated/')),
);
const sources = files.map((file) =>
  ts.createSourceFile(file, readFileSync(new URL(file, ROOT), 'utf8'), ts.ScriptTarget.Latest, true),
);
const literals = findAll(ts.isRegularExpressionLiteral);

describe('regular expressions of the sources', () => {
  let verdicts: ReadonlyMap<string, string>;
  beforeAll(() => {
    verdicts = analyze([...new Set([VULNERABLE, ...literals.map(({ text }) => text)])]);
  });

  it('are found, and the checker recognizes a vulnerable one', () => {
    expect(literals.map(({ file }) => file)).toEqual(expect.arrayContaining(['src/config/environment.ts']));
    expect(verdicts.get(VULNERABLE)).toBe('vulnerable');
  });

  it.each(literals)('$file: $text takes time in proportion to its text', ({ text }) => {
    expect(verdicts.get(text)).toBe('safe');
  });

  it('are never built at run time, where no check can analyze them', () => {
    expect(findAll(makesRegularExpression)).toEqual([]);
  });
});

function analyze(expressions: readonly string[]): ReadonlyMap<string, string> {
  const printed = execFileSync(process.execPath, [ANALYSIS], { input: JSON.stringify(expressions), encoding: 'utf8' });
  const found = JSON.parse(printed) as string[];
  return new Map(expressions.map((expression, index) => [expression, found[index] ?? 'unknown']));
}

function findAll(matches: (node: ts.Node) => boolean): Found[] {
  const found: Found[] = [];
  for (const source of sources) {
    const visit = (node: ts.Node): void => {
      if (matches(node)) found.push({ file: source.fileName, text: node.getText() });
      ts.forEachChild(node, visit);
    };
    visit(source);
  }
  return found;
}

function makesRegularExpression(node: ts.Node): boolean {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}
