import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../../access/current-principal.js';
import { Scrapes } from '../../access/limits/scrapes.js';
import type { Principal } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiResponse, ApiTags, TEXT } from '../../openapi/annotations.js';
import { ApiOnlyProblems } from '../../problem/api-problems.js';
import { Metrics } from '../../metrics/metrics.js';

@ApiTags('health')
@Requires('metrics')
@Controller('metrics')
export class MetricsController {
  private readonly scrapes: Scrapes;

  constructor(metrics: Metrics) {
    this.scrapes = new Scrapes(metrics);
  }

  /**
   * Get Prometheus metrics
   * @remarks Returns metrics of this process only, in the Prometheus text format: requests, mints, queues, connections and the process. If
   * `METRICS_PORT` is set, the metrics are instead served on that port, without a key.
   */
  @Get()
  @ApiResponse({
    status: 200,
    description: 'The metrics since the start of the process.',
    content: { 'text/plain': TEXT },
  })
  @ApiOnlyProblems(
    'UNAUTHENTICATED',
    'SCOPE_MISSING',
    'NAMING_AUTHORITY_FORBIDDEN',
    // The response if METRICS_PORT is set.
    'NOT_FOUND',
    'RATE_LIMITED',
    'CONCURRENCY_LIMITED',
    'OVERLOADED',
    'SHUTTING_DOWN',
  )
  async scrape(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string> {
    principal.requireUnrestricted(
      'Metrics name all naming authorities, so they can be read only with an API key that covers all of them.',
    );
    return this.scrapes.text(request, reply);
  }
}
