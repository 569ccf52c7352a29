import { afterAll, beforeAll, describe, it } from '@jest/globals';
import fc from 'fast-check';
import pg from 'pg';
import { useService } from '../harness/service.js';
import { expectEqual } from './model/assertions.js';
import { activations, patches, reinstatements, withdrawals } from './model/lifecycle-commands.js';
import { batches, mints, registers, replays } from './model/mint-commands.js';
import { Names } from './model/names.js';
import { lists, lookups, resolutions } from './model/read-commands.js';
import { Registry } from './model/registry.js';
import { Real } from './model/real.js';

const RUNS = Number(process.env.MODEL_RUNS ?? 125);

let sql: pg.Client;
// Before the database is dropped.
afterAll(() => sql.end());

// The parent of the naming authorities of the runs.
const service = useService({ NAMING_AUTHORITIES: '9' });

beforeAll(async () => {
  sql = new pg.Client({ connectionString: service.database.url });
  await sql.connect();
});

let lastRun = 0;

/** An empty model, and new naming authorities of the service. SQL creates them, in a quarter of the time of two requests. */
async function begin(): Promise<{ model: Registry; real: Real }> {
  const names = new Names(++lastRun);
  await sql.query('INSERT INTO naming_authority (prefix) SELECT unnest($1::text[])', [names.authorities]);
  return { model: new Registry(names), real: new Real(service.client) };
}

const COMMANDS = [
  ...[mints, mints, registers, batches, replays, replays],
  ...[patches, patches, withdrawals, activations, reinstatements],
  ...[lists, lookups, resolutions],
];

describe('the service beside a registry in memory', () => {
  it(`returns the results of the model in ${RUNS} random runs, and ends with the same identifiers and histories`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(COMMANDS, { maxCommands: 12, size: 'max' }), async (commands) => {
        const run = await begin();
        await fc.asyncModelRun(() => run, commands);
        await expectEqual(run.model, run.real);
      }),
      { numRuns: RUNS },
    );
  }, 600_000);
});
