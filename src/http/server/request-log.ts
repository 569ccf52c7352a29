import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { LoggedAddresses } from '../../config/environment.js';
import type { HttpInterfaces } from '../http-interface.js';
import { MAX_LINE_BYTES } from '../../logging/line-limit.js';
import { truncatedAddress } from '../ip-prefix.js';

declare module 'fastify' {
  interface FastifyInstance {
    readonly loggedAddress?: RequestLog['addressOf'];
  }
  interface FastifyRequest {
    /** ID of the accepted key, or the name of a client without a key; null for anonymous requests. */
    keyName: string | null;
  }
}

/** Query parameters whose values identify no person and are not secret. */
const SHOWN = new Set([
  ...['limit', 'order', 'kind', 'state', 'namingAuthority', 'mode', 'dryRun', 'wait', 'format', 'delimiter'],
  ...['type', 'index', 'prefix', 'page', 'pageSize', 'noredirect', 'overwrite', 'mintNewSuffix'],
]);

/** Parameter names that the log shows. Any other text can be the name of a person or a key. */
const NAME = /^[a-z_]{1,20}$/i;

const COUNTED = Symbol('bytes of earlier requests');

type CountedSocket = Socket & { [COUNTED]?: { in: number; out: number } };

export interface LoggedRequest {
  readonly raw: IncomingMessage;
  readonly method: string;
  readonly url: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly route: string | null;
  readonly code?: string | null;
  readonly keyName?: string | null;
  readonly address: string | undefined;
}

/** Writes a log line per request. The line identifies the client, and contains no secret and no query value that can name a person. */
export class RequestLog {
  constructor(private readonly addresses: LoggedAddresses) {}

  write(request: FastifyRequest, reply: FastifyReply, interfaces: HttpInterfaces): void {
    const level = interfaces.of(request).routine.test(request.url) ? 'debug' : 'info';
    if (!(request.log as Logger).isLevelEnabled(level)) return;
    const { raw, method, originalUrl: url, keyName, ip } = request;
    const route = request.is404 ? null : (request.routeOptions.url ?? null);
    const { statusCode: status, elapsedTime: milliseconds } = reply;
    const code = reply.problemCode ?? request.streamProblem;
    const line = this.line({ raw, method, url, status, milliseconds, route, code, keyName, address: ip });
    request.log[level](line, 'request');
  }

  /** Shortens an address as configured for the log. */
  addressOf(address: string | undefined): string | null {
    if (this.addresses === 'off') return null;
    return this.addresses === 'full' ? (address ?? null) : truncatedAddress(address);
  }

  line({ raw, method, url, status, milliseconds, route, code, keyName, address }: LoggedRequest): object {
    const socket: CountedSocket = raw.socket;
    const before = socket[COUNTED];
    const counted = (socket[COUNTED] = { in: socket.bytesRead, out: socket.bytesWritten });
    // A single literal is used, because spreads would double the cost. Undefined members are not written.
    return {
      method,
      url: withoutValues(url),
      status,
      durationMs: Math.round(milliseconds * 100) / 100,
      route: route ?? undefined,
      code: code ?? undefined,
      keyId: keyName ?? undefined,
      address: this.addressOf(address) ?? undefined,
      bytesIn: counted.in - (before?.in ?? 0),
      bytesOut: counted.out - (before?.out ?? 0),
    };
  }
}

function withoutValues(url: string): string {
  const start = url.indexOf('?');
  if (start < 0) return url;
  const query = url.slice(start + 1, MAX_LINE_BYTES).replace(/[^&;]+/g, (parameter) => {
    const [name = ''] = parameter.split('=', 1);
    if (SHOWN.has(name)) return parameter;
    return parameter !== name && NAME.test(name) ? `${name}=…` : '…';
  });
  return `${url.slice(0, start + 1)}${query}`;
}
