import { describe, expect, it } from '@jest/globals';
import { createDatabase, putTablesInto, query } from '../harness/database.js';

// The tests of keys, naming authorities and users, with the tables in another schema than "public", as the guide to the own
// PostgreSQL describes it.
putTablesInto('pids');

describe('the databases of this file', () => {
  it('have no table in the schema "public"', async () => {
    const database = await createDatabase();
    const schemas = await query(
      database.url,
      "SELECT DISTINCT schemaname FROM pg_tables WHERE tablename IN ('api_key', 'identifier')",
    );
    expect(schemas).toEqual([{ schemaname: 'pids' }]);
    await database.drop();
  });
});

await import('../access/api-keys.e2e.js');
await import('../naming-authorities/lifecycle.e2e.js');
await import('../naming-authorities/rules.e2e.js');
await import('../handle-api/users.e2e.js');
