/**
 * Measures the cost of the history: the statement that mints, compared with the same statement without its insert into the
 * table `change`, on an embedded PostgreSQL with durable commits, over 16 connections, with 1 and with 32 rows in a statement.
 * There is no HTTP, which would hide a part of the cost.
 *
 * Each round runs both in alternating order, with prepared values. The ratio is computed within a round, so that other
 * activity of the machine affects both. Before the first round 20,000 rows are minted and analyzed.
 * Run `npm run bench:history`; the variable ROUNDS sets the number of rounds, 15 by default.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';
import { migrate } from '../dist/database/migrations.js';
import { NamingAuthorityWriter } from '../dist/storage/naming-authorities/naming-authority-writer.js';
import { insertQuery } from '../dist/storage/identifiers/insert-statement.js';
import { Transactions } from '../dist/storage/transactions.js';
import { NAMING_AUTHORITY, newIdentifier } from './new-identifier.js';

const CONNECTIONS = 16;
const ROUNDS = Number(process.env.ROUNDS ?? 15);
/** Rows in a statement, and statements in a round for each side. */
const SIZES = [
  { rows: 1, statements: 4000 },
  { rows: 32, statements: 800 },
];
const TARGET = 0.8;

const HISTORY = /, logged AS \(\n\s+INSERT INTO change [\s\S]*?\n {2}\)(?=\n {2}SELECT )/;
const SIDES = { with: (sql) => sql, without: withoutHistory };

const folder = await mkdtemp(join(tmpdir(), 'mintmark-bench-'));
const server = await startEmbeddedServer(folder);
try {
  await migrate(server.url);
  const clients = await connect(server.url);
  await requireDurable(clients[0]);
  await new NamingAuthorityWriter(new Transactions({ connect: () => borrowed(clients[0]) }, null), null).ensure([
    NAMING_AUTHORITY.prefix,
  ]);
  // The plans of an empty table differ from those of a registry in use.
  await run(clients, 'with', 100, 200);
  await clients[0].query('VACUUM ANALYZE');
  console.log(`${CONNECTIONS} connections, ${ROUNDS} rounds after a warm-up; median (minimum to maximum)\n`);
  for (const size of SIZES) await compare(clients, size);
  await Promise.all(clients.map((client) => client.end()));
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

async function compare(clients, { rows, statements }) {
  const rounds = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const order = round % 2 === 0 ? ['with', 'without'] : ['without', 'with'];
    const result = {};
    for (const side of order) result[side] = await run(clients, side, rows, statements);
    if (round > 0) rounds.push(result);
  }
  const speed = (side) => rounds.map((result) => (rows * statements) / result[side].seconds);
  const wal = (side) => rounds.map((result) => result[side].walOctets / (rows * statements));
  const ratios = rounds.map((result) => result.without.seconds / result.with.seconds);
  console.log(`${rows} ${rows === 1 ? 'row' : 'rows'} in a statement`);
  console.log(`  with the history, mints/s     ${spread(speed('with'), 0)}`);
  console.log(`  without it, mints/s           ${spread(speed('without'), 0)}`);
  console.log(`  ratio within a round          ${spread(ratios, 3)}`);
  if (rounds.every((result) => result.with.processorMs !== null)) {
    const micros = (side) => rounds.map((result) => (result[side].processorMs * 1000) / (rows * statements));
    const processor = rounds.map((result) => result.without.processorMs / result.with.processorMs);
    console.log(`  processor with it, µs/mint    ${spread(micros('with'), 0)}`);
    console.log(`  processor without it, µs/mint ${spread(micros('without'), 0)}`);
    console.log(`  ratio within a round          ${spread(processor, 3)}`);
  }
  console.log(`  log with it, octets/mint      ${spread(wal('with'), 0)}`);
  console.log(`  log without it, octets/mint   ${spread(wal('without'), 0)}`);
  const cost = (1 - median(ratios)) * 100;
  const result = median(ratios) >= TARGET ? 'within' : 'NOT within';
  console.log(`  the history costs ${cost.toFixed(1)} %, ${result} the limit of 20 %\n`);
  if (median(ratios) < TARGET) process.exitCode = 1;
}

async function run(clients, side, rows, statements) {
  const prepared = Array.from({ length: statements }, () => insertQuery(Array.from({ length: rows }, newIdentifier)));
  const text = SIDES[side](prepared[0].text);
  const name = `${prepared[0].name}-${side}`;
  const before = await counts(clients[0]);
  const worked = await processorMs(clients);
  const start = performance.now();
  await Promise.all(
    clients.map(async (client) => {
      for (let query = prepared.pop(); query !== undefined; query = prepared.pop()) {
        const { rowCount } = await client.query({ name, text, values: query.values });
        if (rowCount !== rows) throw new Error(`expected ${rows} minted rows, found ${rowCount}`);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const workedSince = await processorMs(clients);
  const after = await counts(clients[0]);
  const expectedChanges = side === 'with' ? rows * statements : 0;
  if (after.changes - before.changes !== expectedChanges)
    throw new Error(`${side}: expected ${expectedChanges} changes more in the history`);
  const processor = worked === null || workedSince === null ? null : workedSince - worked;
  return { seconds, processorMs: processor, walOctets: Number(after.wal - before.wal) };
}

function withoutHistory(sql) {
  const cut = sql.replace(HISTORY, '');
  if (cut === sql || /\b(change|logged)\b/.test(cut)) {
    throw new Error('HISTORY does not match the part of the statement that appends to the history');
  }
  return cut;
}

async function counts(client) {
  const { rows } = await client.query(
    "SELECT (SELECT count(*)::int FROM change) AS changes, pg_current_wal_lsn() - '0/0'::pg_lsn AS wal",
  );
  return { changes: rows[0].changes, wal: BigInt(rows[0].wal) };
}

/** Processor time of PostgreSQL's processes for these connections; null without /proc. A tick is 10 ms. */
async function processorMs(clients) {
  const texts = await Promise.all(
    clients.map(({ processID }) => readFile(`/proc/${processID}/stat`, 'utf8').catch(() => null)),
  );
  if (texts.includes(null)) return null;
  // Fields 14 and 15 of proc(5), after the name in parentheses.
  const fields = texts.map((text) => text.slice(text.lastIndexOf(')') + 2).split(' '));
  return fields.reduce((sum, field) => sum + (Number(field[11]) + Number(field[12])) * 10, 0);
}

async function connect(url) {
  return Promise.all(
    Array.from({ length: CONNECTIONS }, async () => {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      // As in the hot pool of the service.
      await client.query('SET plan_cache_mode = force_generic_plan');
      return client;
    }),
  );
}

async function requireDurable(client) {
  for (const setting of ['fsync', 'synchronous_commit']) {
    const { rows } = await client.query(`SHOW ${setting}`);
    if (rows[0][setting] !== 'on') throw new Error(`${setting} is off`);
  }
}

async function borrowed(client) {
  return { query: client.query.bind(client), release: () => {} };
}

function spread(values, digits) {
  const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => value.toFixed(digits));
  return `${median(values).toFixed(digits)} (${least} to ${most})`;
}

function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
