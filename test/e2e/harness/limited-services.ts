import { afterAll, beforeAll, expect } from '@jest/globals';
import { type Answer, Client } from './client.js';
import { type TestDatabase, createDatabase } from './database.js';
import { type TestServer, startServer } from './server.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** The header of the key with every scope. */
export const ADMIN = bearer(ADMIN_KEY);

/** Services of a test file with their own limits and one database. */
export interface LimitedServices {
  readonly database: TestDatabase;
  readonly start: (variables: Record<string, string>) => Promise<Client>;
}

/** Creates the database before the tests of a file, and stops all services after them. */
export function useLimitedServices(): LimitedServices {
  const servers: TestServer[] = [];
  const services: { database?: TestDatabase; start: LimitedServices['start'] } = {
    start: async (variables) => {
      const server = await startServer({
        DATABASE_URL: services.database?.url ?? '',
        ACCESS: 'keys',
        ADMIN_API_KEY: ADMIN_KEY,
        NAMING_AUTHORITIES: '100.102,2000.01',
        ...variables,
      });
      servers.push(server);
      return new Client(server.url);
    },
  };
  beforeAll(async () => {
    services.database = await createDatabase();
  });
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.stop()));
    await services.database?.drop();
  });
  return services as LimitedServices;
}

/** The header of a new key with the scope `mint`. */
export async function createKey(client: Client): Promise<{ authorization: string }> {
  const answer = await client.post(
    '/api-keys',
    { client: 'repository', namingAuthorities: null, scopes: ['mint', 'read'] },
    ADMIN,
  );
  expect(answer.status).toBe(201);
  return bearer(answer.body.secret);
}

/**
 * Verifies the common members of a rejection.
 * @returns its `Retry-After`.
 */
export function expectRejected(answer: Answer, status: number, code: string): number {
  expect([answer.status, answer.body.code]).toEqual([status, code]);
  expect(answer.headers.get('content-type')).toMatch(/^application\/problem\+json/);
  expect(answer.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
  return Number(answer.headers.get('retry-after'));
}

export const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status);

/** The number of requests rejected for a reason, from the metrics. */
export async function rejections(client: Client, reason: string): Promise<number> {
  const text = await (await fetch(`${client.base}/metrics`, { headers: ADMIN })).text();
  return Number(new RegExp(`^mintmark_rejected_requests_total\\{reason="${reason}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
}
