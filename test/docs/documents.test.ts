import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { CATALOGUE, PROBLEM_CODES } from '../../src/problem/catalogue.js';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

describe('docs/README.md', () => {
  const text = read('docs/README.md');
  const section = (title: string) =>
    new RegExp(`^## ${title}\\n([\\s\\S]*?)(?=^## |(?![\\s\\S]))`, 'm').exec(text)?.[1] ?? '';

  it('has a row for each of six readers, with three documents', () => {
    const rows = section('Where to begin')
      .split('\n')
      .filter((line) => /^\| [a-z]/.test(line) && !line.startsWith('| you are'));
    expect(rows.map((line) => (line.match(/\]\(/g) ?? []).length)).toEqual([3, 3, 3, 3, 3, 3]);
  });

  it('explains every scope, and no other', () => {
    const rows = [...section('Who may do what').matchAll(/^\| `([a-z]+)` /gm)].map(([, scope]) => scope);
    expect(rows).toEqual(['read', 'mint', 'register', 'curate', 'metrics', 'admin']);
  });

  it('says what this is not, and names every guide, reference and explanation', () => {
    expect(section('What this is not').match(/^- \*\*Not /gm)?.length).toBeGreaterThanOrEqual(3);
    for (const folder of ['how-to', 'reference', 'explanation']) {
      const names = readdirSync(new URL(`docs/${folder}`, root)).filter((name) => name.endsWith('.md'));
      for (const name of names)
        expect([name, section('All documents').includes(`(${folder}/${name})`)]).toEqual([name, true]);
    }
  });
});

describe('docs/reference/errors.md', () => {
  it('lists every code of the catalogue with its status, and no other', () => {
    const rows = [...read('docs/reference/errors.md').matchAll(/^\| `([A-Z0-9_]+)` *\| *([0-9]{3}) *\|/gm)];
    const documented = rows.map(([, code = '', status]) => [code, Number(status)]);
    const known = PROBLEM_CODES.map((code) => [code, CATALOGUE[code].status]);
    expect(documented.sort()).toEqual(known.sort());
  });
});

describe('docs/reference/dependencies.md', () => {
  it('gives a reason for every dependency, and names no other', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const rows = [...read('docs/reference/dependencies.md').matchAll(/^\| `([^`]+)` *\| *(.*?) *\|$/gm)];
    for (const [, name, reason] of rows) expect([name, (reason ?? '').length > 5]).toEqual([name, true]);
    const listed = rows.map(([, name]) => name);
    const known = [dependencies, devDependencies, optionalDependencies].flatMap((each) => Object.keys(each));
    expect(listed.sort()).toEqual(known.sort());
  });

  it('states a budget of direct dependencies at run time, and it is kept', () => {
    const [, budget] =
      /at most ([0-9]+) direct\s+dependencies at run time/.exec(read('docs/reference/dependencies.md')) ?? [];
    expect(budget).toBe('25');
    const { dependencies, optionalDependencies } = JSON.parse(read('package.json'));
    const names = Object.keys({ ...dependencies, ...optionalDependencies });
    expect(names.length).toBeLessThanOrEqual(Number(budget));
  });

  it('names every package that package.json overrides, and no other as overridden', () => {
    const [, section = ''] =
      /^## Pinned to other versions\n([\s\S]*?)^Not in `overrides`/m.exec(read('docs/reference/dependencies.md')) ?? [];
    const named = [...section.matchAll(/`(@?[a-z][\w-]*(?:\/[\w*-]+)?)`/g)].map(([, name = '']) => name);
    const namesIn = (overrides: object): string[] =>
      Object.entries(overrides).flatMap(([name, value]: [string, string | object]) =>
        typeof value === 'string' ? [name] : [name, ...namesIn(value)],
      );
    const overridden = new Set(namesIn(JSON.parse(read('package.json')).overrides).filter((name) => name !== '.'));
    const isNamed = (name: string): boolean => named.includes(name) || named.includes(name.replace(/\/.*/, '/*'));
    expect(overridden.size).toBeGreaterThan(10);
    expect([...overridden].filter((name) => !isNamed(name))).toEqual([]);
    const others = ['overrides', '@angular-devkit/*'];
    expect(named.filter((name) => !overridden.has(name) && !others.includes(name))).toEqual([]);
  });

  it('every dependency is pinned to one version', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json'));
    for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })) {
      expect([name, version]).toEqual([name, expect.stringMatching(/^(npm:[a-z-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/)]);
    }
  });
});

describe('the package and the image', () => {
  it('have the OpenAPI files, which the service serves', () => {
    expect(JSON.parse(read('package.json')).files).toContain('openapi');
    expect(read('.dockerignore')).toMatch(/^!openapi$/m);
  });

  it('have the package of identifiers, which the service imports', () => {
    const { workspaces, bundleDependencies } = JSON.parse(read('package.json'));
    expect(workspaces).toEqual(['packages/identifier']);
    expect(bundleDependencies).toEqual(['@mintmark/identifier']);
    expect(read('.dockerignore')).toMatch(/^!packages$/m);
  });

  it('state one version in every file', () => {
    const versions = [
      JSON.parse(read('packages/identifier/package.json')).version,
      JSON.parse(read('package.json')).dependencies['@mintmark/identifier'],
      JSON.parse(read('package-lock.json')).version,
      JSON.parse(read('openapi/openapi.json')).info.version,
      /image\.version="(.*)"/.exec(read('Dockerfile'))?.[1],
      /image: mintmark:(\S+)/.exec(read('deploy/kubernetes/mintmark.yaml'))?.[1],
      /mintmark-(\S+)\.tgz/.exec(read('docs/how-to/install-the-package.md'))?.[1],
      /^## \[([^\]]+)\] - \d{4}-\d{2}-\d{2}$/m.exec(read('CHANGELOG.md'))?.[1],
    ];
    expect(new Set(versions)).toEqual(new Set([JSON.parse(read('package.json')).version]));
  });
});

describe('SECURITY.md and CODE_OF_CONDUCT.md', () => {
  it.each(['SECURITY.md', 'CODE_OF_CONDUCT.md'])(
    '%s names the form of the repository, and no address for mail',
    (file) => {
      expect(read(file)).toContain(
        file === 'SECURITY.md' ? 'security page of the repository' : 'SECURITY.md#reporting',
      );
      expect(read(file)).not.toMatch(/commit log|@[a-z]/);
    },
  );
});

describe('CONTRIBUTING.md', () => {
  it('names only functions, types and constants that exist', () => {
    const named = read('CONTRIBUTING.md').match(/(?<=`)[A-Za-z]+[a-z][A-Z]\w+(?=`)/g) ?? [];
    expect(named.length).toBeGreaterThan(5);
    const folders = ['src', 'test', 'scripts', 'packages/identifier/src'];
    const files = folders.flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.[jt]s$/.test(path) && !path.includes('generated'))
        .map((path) => read(`${folder}/${path}`)),
    );
    const words = new Set(files.flatMap((text) => text.match(/\w+/g) ?? []));
    expect(named.filter((name) => !words.has(name))).toEqual([]);
  });
});

describe('docs/explanation/architecture.md', () => {
  const text = read('docs/explanation/architecture.md');
  const files = (folder: string) => readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' });

  it('names only files and folders that exist', () => {
    const cited = text.match(/`(src|packages|test|docs|scripts|bench|prisma)\/[\w./-]+`/g) ?? [];
    expect(cited.length).toBeGreaterThan(10);
    const paths = cited.map((path) => path.replaceAll('`', ''));
    expect(paths.filter((path) => !existsSync(new URL(path, root)))).toEqual([]);
  });

  it('says for each file with statements how they run, and names no other', () => {
    const [, section = ''] = /^## Access to the database\n([\s\S]*?)^## /m.exec(text) ?? [];
    const rows = [...section.matchAll(/^\| (.*?) \| (.*?) \| (.*?) \|/gm)].slice(2);
    const sources = new Map(
      files('src/storage/').flatMap((path) =>
        path.endsWith('.ts') ? [[path.split('/').at(-1) ?? '', read(`src/storage/${path}`)] as const] : [],
      ),
    );
    const isNamed = /\bprepared\(|\bname: '|'[a-z-]+', BY_/;
    const signs: [RegExp, (source: string) => boolean][] = [
      [/^Prisma's model/, (source) => /this\.prisma\.\w+\.\w+\(/.test(source)],
      [/^prepared/, (source) => isNamed.test(source)],
      [/^unnamed/, (source) => !isNamed.test(source)],
      [/^transactions/, (source) => /\b(Queryable|Transactions)\b/.test(source) || source.includes('IMPORT = ')],
    ];
    const named = rows.flatMap(([, , cell = '', how = '']) =>
      [...cell.matchAll(/`([\w-]+\.ts)`/g)].map(([, file = '']) => ({ file, how: how.trim() })),
    );
    for (const { file, how } of named) {
      const sign = signs.find(([begin]) => begin.test(how));
      expect([file, how, sign?.[1](sources.get(file) ?? '')]).toEqual([file, how, true]);
    }
    // `SELECT $$` is a parameter in a subquery.
    const hasStatements = /\b(SELECT|INSERT INTO|UPDATE) (?!\$\$)[\w$(*]|this\.prisma\.(?!identifier)\w+\.\w+\(/;
    const found = [...sources].filter(([, source]) => hasStatements.test(source)).map(([file]) => file);
    expect([...new Set(named.map(({ file }) => file))].sort()).toEqual(found.sort());
  });

  it('names for each planner assumption statements and tests that exist', () => {
    const [, section = ''] = /^## Planner assumptions\n([\s\S]*?)^## /m.exec(text) ?? [];
    const known = [...files('src/'), ...files('test/e2e/')].map((path) => path.split('/').at(-1));
    const cited = [...section.matchAll(/`(?:[\w-]+\/)*([\w.-]+\.ts)`/g)].map(([, name]) => name);
    expect(cited.length).toBeGreaterThan(10);
    expect(cited.filter((name) => !known.includes(name))).toEqual([]);
    const titles = [...section.matchAll(/"([^"]+)"/g)].map(([, title]) => title);
    const plans = read('test/e2e/database/statements.ts');
    expect(titles.filter((title) => !plans.includes(`'${title}'`))).toEqual([]);
  });
});

describe('docs/reference/standards.md', () => {
  it('explains every requirement and resolution that the source cites', () => {
    const explained = new Set(read('docs/reference/standards.md').match(/\b(CID|URI|HUS|HS|FED|UUID|R)-\d\d\b/g));
    const sources = ['src', 'packages/identifier/src'].flatMap((folder) =>
      readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
        .map((name) => `${folder}/${name}`),
    );
    const cited = sources.flatMap((path) => read(path).match(/\b(CID|URI|HUS|HS|FED|UUID|R)-\d\d\b/g) ?? []);
    expect(cited.length).toBeGreaterThan(50);
    expect(cited.filter((number) => !explained.has(number))).toEqual([]);
  });
});

describe('.env.example and docs/reference/configuration.md', () => {
  const source = read('src/config/environment.ts').split('export class Environment')[1] ?? '';
  const known = [...source.matchAll(/^ +(?:@.*\) )?([A-Z][A-Z_]+)(?: =|\?:) .*;$/gm)].map(([, name]) => name);

  it.each([
    ['.env.example', /^#? ?([A-Z_]+)=/gm],
    ['docs/reference/configuration.md', /^\| `([A-Z_]+)` /gm],
  ])('%s has every variable that the configuration reads, and no other', (name, pattern) => {
    expect(known).toContain('PORT');
    const shown = [...read(name).matchAll(pattern)].map(([, variable]) => variable);
    expect(shown.sort()).toEqual([...known].sort());
  });
});
