/**
 * Measures what a statement costs through Prisma's `$queryRawUnsafe`, compared with the same statement through `pg`, on an
 * embedded PostgreSQL with durable commits, over one connection. Both prepare the statement once.
 *
 * Each round runs both, in alternating order. The processor time is the time of this process, without PostgreSQL.
 * Run `npm run bench:prisma`; the variable ROUNDS sets the number of rounds, 9 by default.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { startEmbeddedServer } from '../dist/database/embedded/embedded-server.js';
import { PrismaClient } from '../dist/database/generated/client.js';
import { migrate } from '../dist/database/migrations.js';
import { insertQuery } from '../dist/storage/identifiers/insert-statement.js';
import { NAMING_AUTHORITY, newIdentifier } from './new-identifier.js';
import { shown, table } from './report.js';
import { spread } from './rounds.js';

const ROUNDS = Number(process.env.ROUNDS ?? 9);

const FIND = { name: 'find', text: 'SELECT * FROM identifier_record WHERE naming_authority = $1 AND guid = $2::uuid' };
const PAGE = { name: 'page', text: 'SELECT * FROM identifier_record ORDER BY created_at, id LIMIT 1000' };
const LOCK = { name: 'lock', text: 'SELECT pg_try_advisory_xact_lock($1::int, $2::int) AS locked' };
const RESULT = { name: 'result', text: 'SELECT outcome FROM request WHERE client = $1 AND key = $2' };

/** The transaction of a batch: the lock of its Idempotency-Key, the stored result, and the statement that mints. */
const batch = (rows) => ({
  title: `a transaction: lock, stored result, ${rows} mints`,
  times: 60,
  transaction: true,
  statements: () => [
    { ...LOCK, values: [1, 2] },
    { ...RESULT, values: ['client', 'key'] },
    insertQuery(Array.from({ length: rows }, newIdentifier)),
  ],
});

const mint = (rows) => ({
  title: `one statement: ${rows} ${rows === 1 ? 'mint' : 'mints'}`,
  times: 150,
  statements: () => [insertQuery(Array.from({ length: rows }, newIdentifier))],
});

const WORK = [
  { title: 'one statement: look-up of a record', times: 500, statements: (guid) => [find(guid)] },
  { title: 'one statement: a page of 1,000 records', times: 20, statements: () => [{ ...PAGE, values: [] }] },
  mint(1),
  mint(32),
  {
    title: 'a transaction: lock, stored result',
    times: 200,
    transaction: true,
    statements: () => batch(0).statements().slice(0, 2),
  },
  batch(100),
];

const folder = await mkdtemp(join(tmpdir(), 'mintmark-bench-'));
const server = await startEmbeddedServer(folder);
const pool = new pg.Pool({ connectionString: server.url, max: 1, options: '-c plan_cache_mode=force_generic_plan' });
const names = new Map();
const prisma = new PrismaClient({
  adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => names.get(sql) }),
});
try {
  await migrate(server.url);
  await pool.query('INSERT INTO naming_authority (prefix) VALUES ($1)', [NAMING_AUTHORITY.prefix]);
  for (let i = 0; i < 20; i++) await pool.query(insertQuery(Array.from({ length: 100 }, newIdentifier)));
  await pool.query('VACUUM ANALYZE');
  const { rows } = await pool.query('SELECT guid FROM identifier LIMIT 1');
  const results = [];
  for (const work of WORK) results.push(await compare(work, rows[0].guid));
  console.log(`${ROUNDS} rounds after a warm-up; median (minimum to maximum)\n`);
  console.log(table(['work', 'pg, CPU µs', 'Prisma, CPU µs', 'difference µs', 'Prisma : pg, time'], results));
} finally {
  await prisma.$disconnect();
  await pool.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
process.exit();

function find(guid) {
  return { ...FIND, values: [NAMING_AUTHORITY.prefix, guid] };
}

async function compare({ title, times, transaction, statements }, guid) {
  const samples = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const order = round % 2 === 0 ? [viaPg, viaPrisma] : [viaPrisma, viaPg];
    const sample = {};
    for (const way of order) sample[way.name] = await measure(way, transaction, times, () => statements(guid));
    if (round > 0) samples.push(sample);
  }
  const micros = (way) => spread(samples.map((sample) => sample[way].cpu));
  const differences = spread(samples.map(({ viaPg: one, viaPrisma: other }) => other.cpu - one.cpu));
  const slower = spread(samples.map(({ viaPg: one, viaPrisma: other }) => other.wall / one.wall));
  return [title, ...[micros('viaPg'), micros('viaPrisma'), differences, slower].map(withRange)];
}

async function measure(way, transaction, times, statements) {
  const prepared = Array.from({ length: times }, statements);
  for (const { name, text } of prepared[0]) names.set(text, name);
  const [cpu, start] = [process.cpuUsage(), performance.now()];
  for (const each of prepared) await way(each, transaction);
  const { user, system } = process.cpuUsage(cpu);
  return { cpu: (user + system) / times, wall: performance.now() - start };
}

async function viaPg(statements, transaction) {
  const client = await pool.connect();
  if (transaction) await client.query('BEGIN');
  for (const statement of statements) await client.query(statement);
  if (transaction) await client.query('COMMIT');
  client.release();
}

async function viaPrisma(statements, transaction) {
  const run = async (on) => {
    for (const { text, values } of statements) await on.$queryRawUnsafe(text, ...values);
  };
  if (transaction) await prisma.$transaction(run);
  else await run(prisma);
}

function withRange({ median, least, greatest }) {
  return `${shown(median)} (${shown(least)} to ${shown(greatest)})`;
}
