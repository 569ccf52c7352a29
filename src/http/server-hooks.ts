import type { FastifyInstance, FastifyRequest } from 'fastify';
import { CATALOGUE } from '../problem/catalogue.js';
import { Problem } from '../problem/problem.js';
import { watchBrokenHttp } from './broken-http.js';
import { readJsonBody } from './json-body.js';
import { limitBodyTime } from './body-deadline.js';
import type { Drain } from './drain.js';
import { requirePlainUtf8 } from './plain-utf8.js';
import { acceptStreams } from './streamed-body.js';
import { readTraceParent } from './trace-context.js';

/** JSON that says what to change (RFC 7396). */
const MERGE_PATCH = 'application/merge-patch+json';

/** What every request passes on its way in and out: its id, its line in the log, the drain, and the readers of bodies. */
export function installServerHooks(server: FastifyInstance, drain: Drain, requestTimeoutMs: number): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const trace = readTraceParent(request.headers.traceparent);
    if (trace !== null) request.log = reply.log = request.log.child(trace);
    const hasHost = request.headers.host !== undefined || request.raw.httpVersion === '1.0';
    if (hasHost) done();
    else done(new Problem('MALFORMED_HTTP', 'A request of HTTP/1.1 names its Host (RFC 9112 3.2).'));
  });
  watchBrokenHttp(server.server);
  // Fastify closes the connection of a body over the limit, and the reset takes the answer from a client that is still
  // sending (RFC 9112 9.6). Left open, the rest of the body is read and dropped, for as long as a request may take.
  server.addHook('onSend', (_request, reply, payload, done) => {
    if (reply.statusCode === CATALOGUE.BODY_TOO_LARGE.status) {
      reply.removeHeader('connection').raw.shouldKeepAlive = true;
    }
    done(null, payload);
  });
  drain.watch(server);
  limitBodyTime(server, requestTimeoutMs);
  server.addHook('onResponse', (request, reply, done) => {
    const level = /^\/(health|metrics)\b/.test(request.url) ? 'debug' : 'info';
    request.log[level](
      {
        method: request.method,
        url: request.originalUrl,
        status: reply.statusCode,
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
      },
      'request',
    );
    done();
  });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(['application/json', MERGE_PATCH], { parseAs: 'buffer' }, (request, body, done) => {
    try {
      requirePlainUtf8(request.headers);
      requirePatch(request);
      done(null, readJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  acceptStreams(server, requestTimeoutMs, drain.stopping);
}

/** A body that says what to change belongs to a PATCH. */
function requirePatch({ method, headers }: FastifyRequest): void {
  if (method === 'PATCH' || !headers['content-type']?.trim().toLowerCase().startsWith(MERGE_PATCH)) return;
  throw new Problem('UNSUPPORTED_MEDIA_TYPE', `${MERGE_PATCH} is for PATCH; send the body as application/json.`);
}
