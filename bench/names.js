import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import { sample, seed } from './rows.js';

/** Identifiers inserted by one statement, which bounds its memory. */
const CHUNK = 500_000;

/** Number of random names for look-ups; more of them would only use memory of the load generator. */
const SAMPLED = 1_000_000;

/** Databases with given numbers of identifiers, each created at its first use. */
export class Names {
  #made = new Map();

  constructor(cluster) {
    this.cluster = cluster;
  }

  /** @returns the database and the file of names, with the columns of `sample` in rows.js. */
  of(count) {
    if (!this.#made.has(count)) this.#made.set(count, this.#make(count));
    return this.#made.get(count);
  }

  async #make(count) {
    const database = `names_${count}`;
    await this.cluster.createDatabase(database);
    await fillWithNames(this.cluster, database, count);
    const lines = join(this.cluster.folder, `${database}.tsv`);
    await writeSample(this.cluster, database, lines);
    return { database, lines };
  }
}

/** Adds identifiers by SQL, then runs VACUUM (ANALYZE) and a checkpoint. */
export async function fillWithNames(cluster, database, count) {
  for (let left = count; left > 0; left -= CHUNK) await cluster.query(database, ...seed(Math.min(left, CHUNK)));
  await settle(cluster, database);
}

export async function settle(cluster, database) {
  await cluster.query(database, 'VACUUM (ANALYZE)');
  await cluster.query(database, 'CHECKPOINT');
}

/** Writes the names of random identifiers: one line for each identifier, with the columns of `sample`, separated by tabs. */
export async function writeSample(cluster, database, file) {
  const rows = await cluster.query(database, sample(SAMPLED));
  const stream = createWriteStream(file);
  for (const row of rows) stream.write(`${Object.values(row).join('\t')}\n`);
  stream.end();
  await once(stream, 'finish');
}

/** @returns the columns of the first lines of a file of names. */
export async function firstNames(file, count) {
  const text = await readFile(file, 'utf8');
  return text.split('\n', count).map((line) => line.split('\t'));
}
