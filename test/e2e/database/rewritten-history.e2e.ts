import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type TestDatabase, createDatabase, query } from '../harness/database.js';

let database: TestDatabase;
let id: string;

const run = (sql: string, values?: unknown[]) => query<any>(database.url, sql, values);
const minted = async (): Promise<string> =>
  (
    await run(
      `INSERT INTO identifier (naming_authority_id, guid, client, position, is_first_event)
       SELECT id, gen_random_uuid(), 'anonymous', 1, true FROM naming_authority RETURNING id`,
    )
  )[0].id;
const logged = (version: number) =>
  `INSERT INTO change (position, naming_authority_id, identifier_id, version, kind, client, patch)
   SELECT 1, naming_authority_id, id, ${version}, 'changed', 'hand', '[]' FROM identifier WHERE id = $1`;
const NEXT = `UPDATE identifier SET target = 'https://a.example/', version = version + 1, is_first_event = false`;

beforeAll(async () => {
  database = await createDatabase();
  await run("INSERT INTO naming_authority (prefix) VALUES ('100.102')");
  id = await minted();
});
afterAll(() => database.drop());

describe('an update of identifiers by hand', () => {
  it.each([
    ['a target', `target = 'https://a.example/'`, 1],
    ['the version alone', 'version = version + 1', 2],
    ['a version that is not the next one', 'version = 3, is_first_event = false', 3],
    ['the first event alone', 'is_first_event = false', 1],
  ])('is rejected in words: %s', async (_, values, version) => {
    await expect(run(`UPDATE identifier SET ${values} WHERE id = $1`, [id])).rejects.toMatchObject({
      code: '23001',
      message: `a change of an identifier is its next version, with version = 2 and is_first_event = false, and has a row in "change": an update of the identifier ${id} to version ${version} is rejected`,
    });
  });

  it('is rejected for every column', async () => {
    const columns = await run(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'identifier'::regclass AND attnum > 0 AND NOT attisdropped`,
    );
    expect(columns.length).toBeGreaterThan(25);
    for (const { name } of columns) {
      await expect(run(`UPDATE identifier SET ${name} = ${name}`)).rejects.toMatchObject({ code: '23001' });
    }
  });

  it('is rejected without a row of the log for the new version, also for one of several identifiers', async () => {
    const other = await minted();
    await run(logged(3), [id]);
    await run(logged(2), [other]);
    const message = `"change" has no row for version 2 of the identifier ${id}: the statement that updates an identifier appends it`;
    await expect(run(`${NEXT} WHERE id = $1`, [id])).rejects.toMatchObject({ code: '23001', message });
    await expect(run(`${NEXT} WHERE id = ANY ($1)`, [[other, id]])).rejects.toMatchObject({ code: '23001', message });
    expect(await run('SELECT version, target FROM identifier WHERE id = ANY ($1)', [[other, id]])).toEqual([
      { version: 1, target: null },
      { version: 1, target: null },
    ]);
  });

  it('is accepted with the row, which can be appended by the same statement', async () => {
    const other = await minted();
    await run(`WITH appended AS (${logged(2)}) ${NEXT} WHERE id = $1`, [other]);
    expect(await run('SELECT version, target FROM identifier WHERE id = $1', [other])).toEqual([
      { version: 2, target: 'https://a.example/' },
    ]);
  });
});
