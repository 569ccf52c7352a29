import { Controller, Get, Header, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { type Caller, CurrentCaller } from '../access/caller.js';
import { Requires } from '../access/scope.js';
import { ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiOnlyProblems } from '../problem/api-problems.js';
import { Metrics } from './metrics.js';

@ApiTags('health')
@Requires('admin')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  /**
   * What does the process count?
   * @remarks
   * The Prometheus text format: requests, mints, queues, connections and the process, of this instance alone. Where
   * `METRICS_PORT` is set, it is served on that port instead, without a key.
   */
  @Get()
  @Header('cache-control', 'no-store')
  @ApiResponse({
    status: 200,
    description: 'The counts since the process started.',
    content: { 'text/plain': { schema: { type: 'string' } } },
  })
  @ApiOnlyProblems(
    'UNAUTHENTICATED',
    'SCOPE_MISSING',
    'NAMING_AUTHORITY_FORBIDDEN',
    'RATE_LIMITED',
    'CONCURRENCY_LIMITED',
    'SHUTTING_DOWN',
  )
  async scrape(@CurrentCaller() caller: Caller, @Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    caller.requireUnbound('The counts name all naming authorities, and so are for a key that covers all of them.');
    void reply.type(this.metrics.contentType);
    return this.metrics.scrape();
  }
}
