import { Controller, Get } from '@nestjs/common';
import { Uncounted } from '../../access/limits/limits.guard.js';
import { Drain } from '../../http/server/drain.js';
import { Public } from '../../access/requires.js';
import { VERSION } from '../../config/version.js';
import { ApiReturns, ApiTags } from '../../openapi/annotations.js';
import { ApiOnlyProblems } from '../../problem/api-problems.js';
import { HealthDto } from './health.dto.js';
import { Readiness } from '../../storage/readiness.js';

@Public()
@Uncounted()
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly drain: Drain,
  ) {}

  /**
   * Check that the process is running
   * @remarks The check reads nothing, so it succeeds even if the database does not respond or the process is stopping.
   */
  @Get('live')
  @ApiReturns(HealthDto, 'The process is running.')
  @ApiOnlyProblems()
  live(): HealthDto {
    return { state: 'ok', version: VERSION };
  }

  /**
   * Check that the service can process requests
   * @remarks The check succeeds when the database responds, accepts writes, completes commits, and has every migration that this version
   * needs. The check fails if the server is in recovery or read-only, if no commit has completed for 5 seconds although one is waiting, or
   * after the signal that stops the process. A result is reused for one second.
   */
  @Get('ready')
  @ApiReturns(HealthDto, 'The service can process requests.')
  @ApiOnlyProblems('DATABASE_UNAVAILABLE', 'OVERLOADED', 'SHUTTING_DOWN')
  async ready(): Promise<HealthDto> {
    this.drain.requireOpen();
    await this.readiness.require();
    const { shortage } = this.readiness;
    return { state: 'ok', version: VERSION, ...(shortage === null ? {} : { detail: shortage }) };
  }
}
