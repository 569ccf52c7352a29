import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inParallel, post } from '../preconditions.js';
import { load } from '../load/load.js';
import { settle } from '../names.js';
import { AUTHORITY } from '../rows.js';
import { metadataLookup } from './lookup.js';

const CONNECTIONS = 16;
const KNOWN = 5000;

const BODY = JSON.stringify({ namingAuthority: AUTHORITY, metadataId: '{2}', target: '{4}' });
const MINT = { method: 'POST', path: '/identifiers', body: BODY };

/**
 * Maximum bytes of write-ahead log for 1,000 replays. The server itself also writes records: some hundred bytes in a round, and much more
 * during autovacuum. These records only add bytes, so the maximum applies to the round with the fewest bytes. Replays that write anything
 * exceed the maximum: a sequence that is advanced writes some 3,000 bytes for 1,000 replays.
 */
const QUIET_WAL_BYTES = 500;

export const replay = {
  name: 'replay',
  title: `replay of a mint, ${CONNECTIONS} connections`,
  comparisons: [
    { of: 'known key', to: 'look-up by metadata ID', least: 0.85, aim: 0.95 },
    { of: 'known metadata ID', to: 'look-up by metadata ID', least: 0.85, aim: 0.95 },
  ],
  limits: ['known key', 'known metadata ID', 'look-up by metadata ID'].map((of) => ({
    of,
    metric: 'walPerThousand',
    most: QUIET_WAL_BYTES,
    statistic: 'least',
    title: `bytes of WAL for 1,000 (least round), ${of}`,
  })),
  async variants({ cluster, servers, names, options }) {
    const { database } = await names.of(options.identifiers);
    const server = await servers.mintmark(database);
    const lines = await mintKnown(cluster, database, server);
    const loading = (request) => (seconds) =>
      load({
        folder: cluster.folder,
        url: server.url,
        request: { ...request, lines },
        connections: CONNECTIONS,
        seconds,
      });
    const before = () => cluster.query(database, 'CHECKPOINT');
    const variant = (request) => ({ server, before, run: loading(request) });
    return {
      'known key': variant({ ...MINT, idempotencyKey: '{5}' }),
      'known metadata ID': variant(MINT),
      'look-up by metadata ID': variant(metadataLookup),
    };
  },
};

/** Mints through the service, which computes the fingerprints. @returns the path of a file with the columns of `sample` and the key. */
async function mintKnown(cluster, database, { url }) {
  const rows = [];
  await inParallel(KNOWN, CONNECTIONS, async (n) => {
    const unique = crypto.randomUUID();
    const metadataId = `hdl:2000.01/${unique.replaceAll('-', '').toUpperCase()}`;
    const target = `https://repo.example.org/known/${n}`;
    const body = BODY.replace('{2}', metadataId).replace('{4}', target);
    const { json } = await post(`${url}${MINT.path}`, body, { 'idempotency-key': unique });
    rows.push([json.identifier, metadataId, '-', target, unique].join('\t'));
  });
  await settle(cluster, database);
  const lines = join(cluster.folder, 'known.tsv');
  await writeFile(lines, `${rows.join('\n')}\n`);
  return lines;
}
