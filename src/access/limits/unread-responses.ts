import type { FastifyInstance } from 'fastify';
import { onlyReads } from '../../http/route-settings.js';
import type { Metrics } from '../../metrics/metrics.js';
import { BytePool, poolProblem } from './byte-pool.js';
import { clientOf } from '../current-principal.js';

/** Responses with fewer UTF-16 code units are not counted. */
const COUNTED_BYTES = 65_536;

const MAX_BYTES = 67_108_864;
const SHARE = 33_554_432;

const DETAILS = {
  share: 'This client has not read large responses yet. Read them, or request smaller ones.',
  free: 'Other clients have not read large responses yet. Retry after Retry-After.',
};

/** Limits the memory of unread responses. The response to a write is always sent, because the write has taken effect. */
export function limitUnreadResponses(server: FastifyInstance, metrics: Metrics): void {
  const pool = new BytePool(MAX_BYTES, SHARE);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < COUNTED_BYTES || request.method === 'HEAD') {
      done(null, payload);
      return;
    }
    // The response is sent as bytes, because the socket would keep a second copy of a string in memory.
    const bytes = Buffer.from(payload);
    const counted = Math.min(bytes.length, SHARE);
    const client = clientOf(request);
    const rejection = onlyReads(request) ? pool.rejection(client, counted) : null;
    if (rejection !== null) {
      metrics.rejected('unread_responses');
      done(poolProblem(rejection, DETAILS));
      return;
    }
    if (!reply.raw.closed) pool.hold(client, counted, reply.raw);
    done(null, bytes);
  });
}
