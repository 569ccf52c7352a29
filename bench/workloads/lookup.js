import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { get } from '../preconditions.js';
import { load } from '../load/load.js';
import { firstNames } from '../names.js';

const CONNECTIONS = 64;
const LARGE = 10_000_000;

/** Number of responses that are verified before the measurement. */
const VERIFIED = 200;

export const identifierLookup = { path: '/identifiers/{1}' };
export const metadataLookup = { path: '/identifiers?metadataId={2}' };

export const lookup = {
  name: 'lookup',
  title: `look-up of random names, ${CONNECTIONS} connections`,
  comparisons: [
    { of: 'identifier', to: 'nest-lean', least: 0.75, aim: 0.9 },
    { of: 'one connection', to: 'nest-lean, one connection', least: 0.8, aim: 0.95 },
    { of: 'identifier', to: 'fastify', least: 0.6 },
    { of: 'metadata ID', to: 'identifier', least: 0.95 },
    { of: 'identifier of 10 million', to: 'identifier', least: 0.9 },
    { of: 'identifier', to: 'prisma-baseline' },
  ],
  async variants({ cluster, servers, names, options }) {
    const { database, lines } = await names.of(options.identifiers);
    const service = await servers.mintmark(database);
    const responseFile = await writeResponse(cluster, service, lines);
    const variant = (server, request, file, find, connections = CONNECTIONS) => ({
      server,
      verify: find && (() => verifyLookups(server, file, find)),
      run: (seconds) =>
        load({
          folder: cluster.folder,
          url: server.url,
          request: { ...request, lines: file },
          connections,
          seconds,
        }),
    });
    const byIdentifier = (server, file, connections) =>
      variant(
        server,
        identifierLookup,
        file,
        { path: (row) => `/identifiers/${row[0]}`, of: (json) => json },
        connections,
      );
    const nestLean = await servers.nestLean(database);
    const prismaBaseline = await servers.prismaBaseline(database);
    return {
      identifier: byIdentifier(service, lines),
      'nest-lean': byIdentifier(nestLean, lines),
      'one connection': byIdentifier(service, lines, 1),
      'nest-lean, one connection': byIdentifier(nestLean, lines, 1),
      'metadata ID': variant(service, metadataLookup, lines, {
        path: (row) => `/identifiers?metadataId=${row[1]}`,
        of: ({ items }) => items[0],
      }),
      fastify: variant(await servers.fastify(responseFile), identifierLookup, lines),
      'prisma-baseline': byIdentifier(prismaBaseline, lines),
      ...(options.large && { 'identifier of 10 million': await ofLarge({ servers, names }, byIdentifier) }),
    };
  },
};

async function ofLarge({ servers, names }, byIdentifier) {
  const { database, lines } = await names.of(LARGE);
  return byIdentifier(await servers.mintmark(database), lines);
}

/** Writes a body of the service to a file, from which the variant `fastify` sends it, so that both send the same size. */
async function writeResponse(cluster, { url }, lines) {
  const [[identifier]] = await firstNames(lines, 1);
  const file = join(cluster.folder, 'lookup-response.json');
  await writeFile(file, (await get(`${url}/identifiers/${identifier}`)).text);
  return file;
}

async function verifyLookups({ url }, lines, { path, of }) {
  const failures = new Set();
  for (const row of await firstNames(lines, VERIFIED)) {
    const { status, json } = await get(`${url}${path(row)}`);
    if (status !== 200 || of(json)?.identifier !== row[0])
      failures.add(`${path(row)} returned ${status}, or another identifier`);
  }
  return [...failures].slice(0, 3);
}
