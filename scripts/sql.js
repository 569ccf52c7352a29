// Prints SQL statements as the service sends them, to paste into psql:
//   npm run sql              the names of all statements
//   npm run sql -- BY_GUID   one of them
// The statements are constants of the modules of storage, including those that are not exported.
import { readdirSync } from 'node:fs';
import { register } from 'node:module';

/** A hook that records the constants of a module that have upper-case names, after the module was evaluated. */
const hook = `
  export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (!url.includes('/dist/storage/')) return loaded;
    const source = Buffer.from(loaded.source).toString();
    const names = [...source.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]*) = /gm)].map(([, name]) => name);
    const file = JSON.stringify(url.split('/dist/')[1]);
    return { ...loaded, source: source + '\\n;(globalThis.constants ??= []).push([' + file + ', {' + names.join() + '}]);' };
  }`;
register(`data:text/javascript,${encodeURIComponent(hook)}`);

const folder = new URL('../dist/storage/', import.meta.url);
for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  if (path.endsWith('.js')) await import(new URL(path, folder).href);
}

const statements = globalThis.constants.flatMap(([file, constants]) =>
  Object.entries(constants).flatMap(([name, value]) => {
    const text = typeof value === 'string' ? value : value?.text;
    return typeof text === 'string' && /^\s*(WITH|SELECT|INSERT|UPDATE|DELETE)\s/.test(text)
      ? [{ file, name, text }]
      : [];
  }),
);
const [wanted] = process.argv.slice(2);
const found = statements.filter(({ name }) => name === wanted);
for (const { file, text } of found) console.log(`-- ${file}\n${text.trim()};\n`);
if (wanted === undefined) for (const { file, name } of statements) console.log(`${name.padEnd(24)} ${file}`);
else if (found.length === 0) {
  console.error(`there is no statement ${wanted}; npm run sql prints the names`);
  process.exitCode = 1;
}
