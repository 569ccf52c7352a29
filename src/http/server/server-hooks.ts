import type { FastifyInstance } from 'fastify';
import { Problem } from '../../problem/problem.js';
import type { Config } from '../../config/config.js';
import type { HttpInterfaces } from '../http-interface.js';
import { watchClientErrors } from './client-errors.js';
import { readJsonBody } from '../body/json-body.js';
import { limitBodyDuration } from '../body/body-limits.js';
import type { Drain } from './drain.js';
import type { RequestLog } from './request-log.js';
import { MERGE_PATCH, faultOfJson } from '../body/content-encoding.js';
import { ResponseSpool } from '../body/response-spool.js';
import { acceptStreams } from '../body/streamed-body.js';
import { faultOfHead, readTraceParent } from '../headers/request-headers.js';

/** Installs the hooks of every request: request ID, log, drain, and body parsers. */
export function installServerHooks(
  server: FastifyInstance,
  drain: Drain,
  interfaces: HttpInterfaces,
  log: RequestLog,
  { requestTimeoutMs, responseSpoolBytes }: Pick<Config, 'requestTimeoutMs' | 'responseSpoolBytes'>,
): void {
  server.decorateRequest('keyName', null);
  server.decorate('loggedAddress', log.addressOf.bind(log));
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const trace = readTraceParent(request.headers.traceparent);
    if (trace !== null) request.log = reply.log = request.log.child(trace);
    const fault = faultOfHead(request.raw);
    if (fault === null) {
      done();
      return;
    }
    // A proxy can take the bytes that follow for a body.
    reply.raw.shouldKeepAlive = false;
    done(new Problem('MALFORMED_HTTP', fault));
  });
  watchClientErrors(server);
  drain.watch(server, interfaces);
  limitBodyDuration(server, requestTimeoutMs);
  server.addHook('onResponse', (request, reply, done) => {
    log.write(request, reply, interfaces);
    done();
  });
  // The content of a DELETE has no meaning (RFC 9110 9.3.5) and is not read.
  server.addHttpMethod('DELETE', { hasBody: false, overrideExisting: true });
  server.removeAllContentTypeParsers();
  server.addContentTypeParser(['application/json', MERGE_PATCH], { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const fault = faultOfJson(request);
      if (fault !== null) throw new Problem('UNSUPPORTED_MEDIA_TYPE', fault);
      done(null, readJsonBody(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  acceptStreams(server, requestTimeoutMs, drain, new ResponseSpool(responseSpoolBytes));
}

const JSON_TYPE = /^application\/(?:[a-z.]+\+)?json\b/;

/** Ends every JSON body with a newline, for terminals. */
export function endJsonWithNewline(server: FastifyInstance): void {
  server.addHook('onSend', (_request, reply, payload, done) => {
    const isJson = typeof payload === 'string' && JSON_TYPE.test(String(reply.getHeader('content-type')));
    done(null, isJson && !payload.endsWith('\n') ? `${payload}\n` : payload);
  });
}
