import { afterAll, beforeAll } from '@jest/globals';
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
    service.server = await startServer({
      DATABASE_URL: service.database.url,
      ACCESS: 'open',
      NAMING_AUTHORITIES: '100.102,2000.01',
      ...variables,
    });
    service.client = new Client(service.server.url);
  });
  afterAll(async () => {
    await service.server?.stop();
    await service.database?.drop();
  });
  return service as TestService;
}
