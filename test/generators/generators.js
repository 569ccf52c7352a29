// Each generator writes a client for the document to a folder. The use of a client is uses/NAME.ts, which is copied beside it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createClient } from '@hey-api/openapi-ts';
import { build } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import openapiTS, { astToString } from 'openapi-typescript';
import { generate as orval } from 'orval';
import { generateApi } from 'swagger-typescript-api';

export { build as bundle } from 'esbuild';

export const GENERATORS = {
  'openapi-typescript': async (document, folder) => {
    await writeFile(join(folder, 'schema.ts'), astToString(await openapiTS(new URL(`file://${document}`))));
  },
  'hey-api': async (document, folder) => {
    // The only one that validates responses while it runs.
    const plugins = [
      '@hey-api/typescript',
      '@hey-api/client-fetch',
      'zod',
      { name: '@hey-api/sdk', validator: { response: 'zod' } },
    ];
    await createClient({ input: document, output: join(folder, 'client'), plugins, logs: { level: 'silent' } });
  },
  orval: async (document, folder) => {
    // orval sends every text as JSON and has no address of its own: its setting "mutator" is where both are decided.
    const mutator = { path: join(folder, 'orval-fetch.ts'), name: 'request' };
    const output = { target: join(folder, 'client.ts'), client: 'fetch', override: { mutator } };
    await orval({ input: { target: document }, output });
  },
  'swagger-typescript-api': async (document, folder) => {
    await generateApi({
      input: document,
      output: folder,
      fileName: 'client.ts',
      httpClientType: 'fetch',
      silent: true,
    });
  },
  kubb: async (document, folder) => {
    // The client of kubb sends no Content-Type and reads every response as JSON, so that it is replaced.
    const client = { importPath: './kubb-fetch.ts', dataReturnType: 'full' };
    // kubb writes a second copy to the working directory.
    const before = process.cwd();
    process.chdir(folder);
    const files = (name) => ({ path: name, barrelType: false });
    const { error, failedPlugins } = await build({
      config: {
        root: folder,
        input: { path: document },
        output: { path: folder, clean: false },
        plugins: [
          pluginOas({ generators: [] }),
          pluginTs({ output: files('types.ts') }),
          pluginClient({ output: files('client.ts'), ...client }),
        ],
      },
    });
    process.chdir(before);
    if (error !== undefined || failedPlugins.size > 0)
      throw new Error('kubb failed', { cause: error ?? failedPlugins });
  },
};
