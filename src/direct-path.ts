import type { IncomingMessage, ServerResponse } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import type { Logger } from 'pino';
import { clientIdentity, type Principal } from './access/principal.js';
import type { LimitsGuard } from './access/limits.guard.js';
import { DirectAnswers, type DirectRoute, type DirectRules } from './http/server/direct-answers.js';
import type { Drain } from './http/server/drain.js';
import { requestIdOf } from './http/server/fastify-adapter.js';
import type { OpenHosts } from './http/server/open-access.js';
import type { RequestLog } from './http/server/request-log.js';
import type { Metrics } from './metrics/metrics.js';

/** What decides about requests without the framework. */
export interface DirectPathParts {
  readonly drain: Drain;
  readonly limits: LimitsGuard;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly requestLog: RequestLog;
  /** The principal of requests without a key. */
  readonly reader: Principal;
  /** The hosts of open access; null where a key protects the service. */
  readonly hosts: OpenHosts | null;
  readonly pressure: () => number;
  readonly trustedProxies: readonly string[];
}

/** Answers requests of some routes before the framework receives them. Until `use` is called, the framework handles all requests. */
export class DirectPath {
  private answers: readonly DirectAnswers[] = [];

  readonly take = (request: IncomingMessage, response: ServerResponse, handOver: () => void): boolean =>
    this.answers.some((route) => route.take(request, response, handOver));

  use(routes: readonly DirectRoute[], parts: DirectPathParts): void {
    const rules = rulesOf(parts);
    this.answers = routes.map((route) => new DirectAnswers(route, rules));
  }
}

function rulesOf(parts: DirectPathParts): DirectRules {
  const { drain, limits, metrics, requestLog, logger, reader, hosts, pressure, trustedProxies } = parts;
  const addressOf = addressReader(trustedProxies);
  return {
    isServed: ({ headers }) =>
      !drain.stopping.aborted && pressure() < 1 && (hosts?.includes(headers.host ?? '') ?? true),
    admit: (request) => {
      const admitted = limits.admitDirect(clientIdentity(reader, addressOf(request)));
      if (admitted === null) return null;
      const done = drain.enter();
      return {
        headers: admitted.headers,
        leave: () => {
          admitted.leave();
          done();
        },
        undo: () => {
          admitted.undo();
          done();
        },
      };
    },
    requestId: requestIdOf,
    answered: (raw, reqId, route, status, ms) => {
      const { method = '', url = '' } = raw;
      metrics.answered(method, route, status, ms / 1000);
      if (!logger.isLevelEnabled('info')) return;
      const address = addressOf(raw);
      logger.info(
        { reqId, ...requestLog.line({ raw, method, url, status, milliseconds: ms, route, address }) },
        'request',
      );
    },
  };
}

/** The address of a client, which trusted proxies tell, as the framework reads it. */
function addressReader(trustedProxies: readonly string[]): (request: IncomingMessage) => string | undefined {
  if (trustedProxies.length === 0) return ({ socket }) => socket.remoteAddress;
  const isTrusted = proxyAddress.compile([...trustedProxies]);
  return (request) => proxyAddress(request, isTrusted);
}
