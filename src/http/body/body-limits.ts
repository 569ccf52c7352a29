import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Problem, tooLarge, invalidRequest } from '../../problem/problem.js';
import { UNREADABLE_BODY } from '../../problem/send-problem.js';
import { routeSettings } from '../route-settings.js';
import { faultOfJson } from './content-encoding.js';
import { isStreamed, mediaTypeOf } from './streamed-body.js';

declare module 'fastify' {
  interface FastifyContextConfig {
    largeBody?: boolean;
    takesCount?: boolean;
  }
}

/** Maximum size of a JSON body in bytes, on a route without `LargeBody`. */
const RECORD_LIMIT = 262_144;

/** Maximum size in bytes of a small JSON body, whose concurrency is limited only if it has many records. */
const SMALL_BYTES = 4096;

/** Methods whose content has no meaning (RFC 9110 9.3) and is not read. */
const WITHOUT_BODY = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

/** Marks a route for many records, whose body limit is configurable. */
export const LargeBody = (): MethodDecorator => routeSettings({ largeBody: true });

/** Marks a route without `LargeBody` whose body can request many records by `count`. */
export const TakesCount = (): MethodDecorator => routeSettings({ takesCount: true });

/** Limits JSON bodies by Content-Length before they are read. "100 Continue" (RFC 9110 10.1.1) is sent after all other checks. */
export function limitBodies(server: FastifyInstance, largest: number): void {
  const expecting = new WeakSet<ServerResponse>();
  server.server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    expecting.add(response);
    server.server.emit('request', request, response);
  });
  server.addHook('onRoute', (route) => {
    route.bodyLimit = route.config?.largeBody === true ? largest : Math.min(RECORD_LIMIT, largest);
  });
  // Runs after "onRequest", whose hooks can reject the request.
  server.addHook('preParsing', (request, reply, payload, done) => {
    const isCollected = hasUsableBody(request) && !isStreamed(request);
    const isExpecting = expecting.has(reply.raw);
    if (isCollected && contentLength(request) > request.routeOptions.bodyLimit) {
      done(tooLarge(request.routeOptions.bodyLimit));
    } else if (isExpecting && !isReadable(request)) done(new Problem('UNSUPPORTED_MEDIA_TYPE', UNREADABLE_BODY));
    else {
      if (isExpecting) reply.raw.writeContinue();
      done(null, payload);
    }
  });
}

function isReadable(request: FastifyRequest): boolean {
  const mediaType = mediaTypeOf(request);
  if (!hasUsableBody(request) || (mediaType === '' && contentLength(request) === 0)) return true;
  if (isStreamed(request)) return request.routeOptions.config.streams !== undefined;
  return request.server.hasContentTypeParser(mediaType) && faultOfJson(request) === null;
}

/** The announced length in bytes; 0 without Content-Length. */
export function contentLength({ headers }: FastifyRequest): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether the announced body is small. A body in chunks does not count as small. */
export function isSmallBody(request: FastifyRequest): boolean {
  return request.headers['transfer-encoding'] === undefined && contentLength(request) <= SMALL_BYTES;
}

/** Whether the method gives the content of a request a meaning (RFC 9110 9.3). */
export function hasUsableBody({ method }: FastifyRequest): boolean {
  return !WITHOUT_BODY.has(method);
}

/** Aborts requests whose body arrives too slowly. Node's own limit would also abort streams that make progress. */
export function limitBodyDuration(server: FastifyInstance, limitMs: number): void {
  server.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request) && !isStreamed(request)) {
      const { raw } = request;
      const deadline = setTimeout(() => {
        if (raw.complete || raw.destroyed) return;
        const error = Object.assign(new Error('the body was not received in time'), {
          code: 'ERR_HTTP_REQUEST_TIMEOUT',
        });
        server.server.emit('clientError', error, raw.socket);
      }, limitMs).unref();
      raw.once('end', () => {
        clearTimeout(deadline);
      });
    }
    done();
  });
}

function hasBody({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** @throws Problem INVALID_REQUEST for any body except `{}` and `null`, because the body would be ignored. */
export function requireNoBody(body: unknown): void {
  if (body === undefined || body === null) return;
  if (typeof body === 'object' && !Array.isArray(body) && Object.keys(body).length === 0) return;
  throw invalidRequest('', 'expected no body, or {}', 'This request must not have a body.');
}
