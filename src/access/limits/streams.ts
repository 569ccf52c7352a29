import type { FastifyInstance } from 'fastify';
import { CSV } from '../../http/body/streamed-body.js';
import { clientOf } from '../current-principal.js';
import { BytePool, poolProblem } from './byte-pool.js';

/** Maximum number of places of all streams together. A stream with one place takes up to 1.5 MB while its client does not read. */
const MOST_PLACES = 128;

const DETAILS = {
  share:
    'A client may have at most 64 concurrent bulk loads; an import or a stream of changes counts as six. Wait until one of them ends.',
  free: 'Too many streams are open at the same time. Nothing was changed; retry after Retry-After.',
};

/** Limits the concurrent streams, for the process and for each client. */
export function limitStreams(server: FastifyInstance): void {
  const pool = new BytePool(MOST_PLACES, MOST_PLACES / 2);
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { streams } = request.routeOptions.config;
    if (streams === undefined || reply.raw.closed) {
      done(null, payload);
      return;
    }
    // A row of CSV can take six times the memory of a line to mint. NDJSON is counted like the CSV of its route.
    const places = streams.includes(CSV) ? 6 : 1;
    const client = clientOf(request);
    const rejection = pool.rejection(client, places);
    if (rejection !== null) {
      done(poolProblem(rejection, DETAILS));
      return;
    }
    pool.hold(client, places, reply.raw);
    done(null, payload);
  });
}
