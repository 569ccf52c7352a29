import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { generateApi } from 'swagger-typescript-api';
import { useService } from './harness/service.js';

const service = useService();
const root = fileURLToPath(new URL('../../', import.meta.url));
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(root, 'dist', 'client-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('a client that a standard generator creates from the committed OpenAPI document', () => {
  it('is typed, compiles strictly as it is, and mints, finds and renders', async () => {
    await generateApi({
      input: join(root, 'openapi/openapi.json'),
      output: folder,
      fileName: 'client.ts',
      httpClientType: 'fetch',
      silent: true,
    });
    await writeFile(
      join(folder, 'use.ts'),
      await readFile(new URL('generated-client/use.ts', import.meta.url), 'utf8'),
    );
    await writeFile(join(folder, 'package.json'), '{"type":"module"}');
    const compiled = spawnSync(
      process.execPath,
      [
        join(root, 'node_modules/typescript/bin/tsc'),
        ...[
          '--ignoreConfig',
          '--strict',
          '--target',
          'es2022',
          '--module',
          'nodenext',
          '--lib',
          'es2022,dom',
          '--types',
          'node',
        ],
        ...['--outDir', folder, join(folder, 'use.ts')],
      ],
      { encoding: 'utf8' },
    );
    expect(compiled.stdout).toBe('');
    const used = spawnSync(process.execPath, [join(folder, 'use.js'), service.server.url], { encoding: 'utf8' });
    expect(used.stderr).toBe('');
    const { minted, found, uris, refused } = JSON.parse(used.stdout);
    expect(minted).toMatch(/^100\.102\/[0-9A-F]{32}$/);
    expect(found).toEqual([minted]);
    expect(uris.cordraHost).toBe(`hdl://${minted}`);
    expect(refused).toBe('UNKNOWN_NAMING_AUTHORITY');
  });
});
