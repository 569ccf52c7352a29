import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { Client } from './client.js';
import { type TestDatabase, createDatabase } from './database.js';
import { type TestServer, startServer } from './server.js';

/** The service of a test file, with its own database. */
export interface TestService {
  readonly client: Client;
  readonly database: TestDatabase;
  readonly server: TestServer;
}

/**
 * Starts a service before the tests of a file and stops it after them.
 * @param variables in addition to the database, open access and the naming authority 100.102.
 */
export function useService(variables: Record<string, string> = {}): TestService {
  const service: { client?: Client; database?: TestDatabase; server?: TestServer } = {};
  beforeAll(async () => {
    service.database = await createDatabase();
    const all = {
      DATABASE_URL: service.database.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102,2000.01',
      ...variables,
    };
    service.server = await startServer(all);
    service.client = new Client(service.server.url);
  });
  afterAll(async () => {
    await service.server?.stop();
    await service.database?.drop();
  });
  return service as TestService;
}

/** A service with default settings and open access, which other files use too. */
export interface SharedService {
  /** Mints under `na` by default. */
  readonly client: Client;
  /** `other` and `third` are further naming authorities of this file only; like `na`, of the profile "cordra". */
  readonly na: string;
  readonly other: string;
  readonly third: string;
  /** The database of all files. */
  readonly database: { readonly url: string };
  readonly server: { readonly url: string };
}

/**
 * The service of this worker with default settings. Its log, metrics, keys, lists of naming authorities and unfiltered feed
 * show what other files do: a test of these has a service of its own.
 */
export function useSharedService(): SharedService {
  const files = readdirSync(new URL('..', import.meta.url), { recursive: true, encoding: 'utf8' });
  const number = files
    .filter((path) => path.endsWith('.e2e.ts'))
    .sort()
    .findIndex((path) => expect.getState().testPath?.endsWith(path));
  const [na, other, third] = [1, 2, 3].map((index) => `7000.${3 * number + index}`) as [string, string, string];
  const { url, database } = JSON.parse(process.env[`E2E_SHARED_${process.env.JEST_WORKER_ID ?? '1'}`] ?? '{}') as {
    url: string;
    database: string;
  };
  return { client: new Client(url, na), na, other, third, database: { url: database }, server: { url } };
}
