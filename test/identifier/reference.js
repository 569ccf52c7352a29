// Makes docs/reference/identifier.md of the exports of the syntax library and their docstrings. `node test/identifier/reference.js`
// writes it; a test compares it.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import ts from 'typescript';

const SOURCES = fileURLToPath(new URL('../../packages/identifier/src/', import.meta.url));
const DECLARATIONS = fileURLToPath(new URL('../../packages/identifier/dist/', import.meta.url));
export const REFERENCE = fileURLToPath(new URL('../../docs/reference/identifier.md', import.meta.url));

const INTRODUCTION = `# The syntax library

Each export of \`@mintmark/identifier\` with its declaration, by forms.
[The package](../../packages/identifier/README.md) has examples. This file is made of the docstrings by \`node test/identifier/reference.js\`.`;

/** The text of the reference. */
export async function reference() {
  const index = parse('index');
  const names = new Map();
  for (const { moduleSpecifier, exportClause } of index.statements) {
    const path = moduleSpecifier.text.replace(/^\.\/|\.js$/g, '');
    const found = exportClause.elements.map(({ name }) => name.text);
    names.set(path, [...(names.get(path) ?? []), ...found]);
  }
  const sections = [...names].map(([path, exported]) => section(path, parse(path), exported));
  const config = await resolveConfig(REFERENCE);
  return format([INTRODUCTION, ...sections].join('\n\n'), { ...config, parser: 'markdown' });
}

/** The declarations that the compiler made of a module. */
function parse(path) {
  return ts.createSourceFile(path, readFileSync(`${DECLARATIONS}${path}.d.ts`, 'utf8'), ts.ScriptTarget.Latest, true);
}

/** The exports of a module below the first sentence of its header; the rest of the header is a grammar. */
function section(path, file, exported) {
  const [, comment = ''] = /^\/\*\*([\s\S]*?)\*\//.exec(readFileSync(`${SOURCES}${path}.ts`, 'utf8')) ?? [];
  const header = comment.replace(/^ *\* ?/gm, '').trim();
  const [first = '', ...others] = header.split('\n\n');
  const [title = ''] = /^[^.:(]+/.exec(first.replaceAll('\n', ' ')) ?? [];
  const grammar = others.length === 0 ? [] : ['```text', others.join('\n\n'), '```'];
  const order = exported.filter((name) => file.statements.some((statement) => nameOf(statement) === name));
  return [`## ${title.trim()}`, '', first, '', ...grammar, ...order.flatMap((name) => entry(file, name))].join('\n');
}

function entry(file, name) {
  const statements = file.statements.filter((statement) => nameOf(statement) === name);
  const docs = statements.flatMap((statement) => ts.getJSDocCommentsAndTags(statement).filter(ts.isJSDoc));
  const text = statements.map((statement) => statement.getText().replace(/^export (?:declare )?/, '')).join('\n');
  return ['', `### ${name}`, '', ...docs.map(described), '', '```ts', text, '```'];
}

/** A docstring: its text, and each tag as a sentence. */
function described({ comment, tags = [] }) {
  const sentences = tags.map((tag) => {
    const rest = ts.getTextOfJSDocComment(tag.comment) ?? '';
    if (tag.tagName.text === 'param') return `\`${tag.name.getText()}\`: ${rest}`;
    const type = tag.typeExpression === undefined ? '' : `\`${tag.typeExpression.getText()}\` `;
    return tag.tagName.text === 'throws' ? `Throws ${type}${rest}` : `Returns ${rest}`;
  });
  return [ts.getTextOfJSDocComment(comment) ?? '', ...sentences].filter((text) => text !== '').join('\n\n');
}

function nameOf(statement) {
  return (statement.name ?? statement.declarationList?.declarations[0]?.name)?.text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(REFERENCE, await reference());
