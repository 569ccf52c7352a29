import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8');

const documents = [
  ...['docs', 'packages', 'test'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(md|yaml)$/.test(name))
      .map((name) => `${folder}/${name}`),
  ),
  ...readdirSync(root).filter((name) => name.endsWith('.md') || name === '.env.example'),
];

/** Variables of Node.js, of the container, of the Prisma CLI, of tests and of the programs in test/integration-scripts. */
const OTHERS = [
  'NODE_ENV',
  'NODE_OPTIONS',
  'POSTGRES_PASSWORD',
  'PRISMA_SCHEMA_ENGINE_BINARY',
  'MODEL_RUNS',
  'FUZZ_RUNS',
  'MINTMARK_URL',
  'MINTMARK_NAMING_AUTHORITY',
  'MINTMARK_KEY',
  // A variable of etcd.
  'ETCD_ENABLE_V2',
  // Types of values in the handle of a prefix.
  'HS_SERV',
  'HS_SITE',
  'HS_PUBKEY',
];

/** The matches of a pattern in all documents, each once, as `document: match`. */
const cited = (pattern: RegExp): string[] =>
  documents.flatMap((path) => [...new Set([...read(path).matchAll(pattern)].map(([, match]) => `${path}: ${match}`))]);
const name = (citation: string): string => citation.replace(/^.*?: /, '');

describe('the documents', () => {
  it('name only files and folders that exist', () => {
    const paths = cited(
      /(?<![\w./@-])((?:src|test|scripts|bench|docs|packages|prisma|openapi)\/[\w./-]*[\w/])(?![\w*/-])/g,
    );
    expect(paths.length).toBeGreaterThan(100);
    expect(paths.filter((citation) => !existsSync(new URL(name(citation), root)))).toEqual([]);
  });

  it('name only files of the source that exist, also without their folder', () => {
    const known = ['src', 'packages', 'test', 'bench', 'scripts', 'prisma'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }),
    );
    const files = cited(/`((?:[\w-]+\/)*[\w.-]+\.(?:ts|js|lua|prisma))`/g);
    expect(files.length).toBeGreaterThan(30);
    const exists = (path: string) =>
      existsSync(new URL(path, root)) || known.some((each) => each === path || each.endsWith(`/${path}`));
    expect(files.filter((citation) => !exists(name(citation)))).toEqual([]);
  });

  it('name only scripts of package.json', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const commands = cited(/\bnpm run ([a-z][\w:-]*)/g);
    expect(commands.length).toBeGreaterThan(15);
    expect(commands.filter((citation) => !(name(citation) in scripts))).toEqual([]);
  });

  it('name only codes, variables and constants that occur in the source', () => {
    const source = ['src', 'packages/identifier/src']
      .flatMap((folder) =>
        readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
          .filter((path) => path.endsWith('.ts') && !path.includes('generated'))
          .map((path) => read(`${folder}/${path}`)),
      )
      .join('\n');
    const known = new Set([...source.matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([word]) => word));
    const words = cited(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)`/g);
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter((citation) => !known.has(name(citation)) && !OTHERS.includes(name(citation)))).toEqual([]);
  });
});
