import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { RESPONSE_CODE } from '../../values/index.js';
import { sendResponse } from '../send-response.js';
import { HANDLE_ROUTES, requestedHandle } from '../handle-routes.js';
import type { ListHandler } from './list.handler.js';
import type { ReadHandler } from './read.handler.js';
import type { WriteHandler } from './write.handler.js';

const LISTS = ['/api/handles', '/api/handles/'];

const READS = ['GET', 'HEAD', 'POST'];

interface Handlers {
  readonly reads: ReadHandler;
  readonly lists: ListHandler;
  readonly writes: WriteHandler;
}

export function addHandlesRoutes(
  server: FastifyInstance,
  { reads, lists, writes }: Handlers,
  requiresKeys: boolean,
): void {
  const config = { scopes: ['read'] as const, onlyReads: true };
  server.route({ method: READS, url: HANDLE_ROUTES.handles, config, handler: reads.handle });
  for (const url of [...LISTS, HANDLE_ROUTES.handles]) {
    server.route({ method: 'PUT', url, config: { scopes: ['mint', 'register', 'curate'] }, handler: writes.put });
    server.route({ method: 'DELETE', url, config: { scopes: ['curate'] }, handler: writes.delete });
  }
  const listed = { ...config, lists: true };
  for (const url of LISTS) server.route({ method: READS, url, config: listed, handler: lists.handles });
  server.route({ method: READS, url: '/api/prefixes', config: listed, handler: lists.prefixes });
  server.route({ method: ['GET', 'HEAD'], url: '/api/site', config: { scopes: [] }, handler: sendSite });
  for (const url of [...LISTS, HANDLE_ROUTES.handles]) {
    server.route({ method: 'OPTIONS', url, handler: optionsOf(requiresKeys) });
    server.route({ method: 'PATCH', url, onRequest: rejectMethod, handler: rejectMethod });
  }
  for (const url of ['/api/sessions', '/api/sessions/this']) {
    const method = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'];
    server.route({ method, url, onRequest: rejectSession, handler: rejectSession });
  }
}

/** Seconds for which browsers may store the response to a preflight request: the maximum that any browser accepts. */
const PREFLIGHT_SECONDS = 86_400;

/** The response to a preflight request (WHATWG Fetch, "CORS protocol"). It is the same for every origin. */
function optionsOf(requiresKeys: boolean): (request: FastifyRequest, reply: FastifyReply) => FastifyReply {
  const headers = {
    allow: 'GET, HEAD, POST, PUT, DELETE, OPTIONS',
    'access-control-allow-methods': requiresKeys ? 'GET,POST,HEAD,PUT,DELETE' : 'GET,POST,HEAD',
    'access-control-allow-headers': 'X-Requested-With,Authorization,Origin,Accept,Content-Type',
    'access-control-max-age': String(PREFLIGHT_SECONDS),
  };
  return (_request, reply) => reply.code(200).headers(headers).send();
}

async function rejectMethod({ raw, method }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { handle } = requestedHandle(raw);
  const message = `Unknown method ${method}`;
  const body = { responseCode: RESPONSE_CODE.error, message, ...(handle !== '' && { handle }) };
  return sendResponse(reply, { status: 501, body });
}

async function rejectSession(_request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const message =
    'Sessions are not supported here until the service has the Handle protocol: send "Authorization: Basic".';
  return sendResponse(reply, { status: 501, body: { responseCode: RESPONSE_CODE.error, message } });
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { http: 80, https: 443 };

function sendSite(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { protocol, hostname, port } = request;
  const site = {
    version: 1,
    protocolVersion: '2.11',
    serialNumber: 1,
    primarySite: true,
    multiPrimary: false,
    attributes: [{ name: 'desc', value: 'Mintmark' }],
    servers: [
      {
        serverId: 1,
        address: hostname,
        interfaces: [
          { query: true, admin: true, protocol: protocol.toUpperCase(), port: port ?? DEFAULT_PORTS[protocol] },
        ],
      },
    ],
  };
  return sendResponse(reply, { status: 200, body: { responseCode: RESPONSE_CODE.success, site } });
}
