import { Controller, Get, Inject } from '@nestjs/common';
import pg from 'pg';
import { Uncounted } from '../../access/limits.guard.js';
import { Public } from '../../access/requires.js';
import { missingMigrations } from '../../database/schema-state.js';
import { ApiResponse, ApiTags } from '../../openapi/annotations.js';
import { ApiOnlyProblems } from '../../problem/api-problems.js';
import { Problem } from '../../problem/problem.js';
import { HealthDto } from './health.dto.js';

@Public()
@Uncounted()
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /**
   * Check that the process is running
   * @remarks The check reads nothing: it succeeds also while the database does not respond and while the process stops.
   */
  @Get('live')
  @ApiResponse({ status: 200, description: 'The process is running.', type: HealthDto })
  @ApiOnlyProblems()
  live(): HealthDto {
    return { state: 'ok' };
  }

  /**
   * Check that the service can process requests
   * @remarks The check succeeds when the database responds and has every migration that this version needs.
   */
  @Get('ready')
  @ApiResponse({ status: 200, description: 'The service can process requests.', type: HealthDto })
  @ApiOnlyProblems('DATABASE_UNAVAILABLE', 'OVERLOADED', 'SHUTTING_DOWN')
  async ready(): Promise<HealthDto> {
    const missing = await missingMigrations(this.pool);
    if (missing.length === 0) return { state: 'ok' };
    throw new Problem('DATABASE_UNAVAILABLE', `The database is missing the migrations ${missing.join(', ')}.`, {
      headers: { 'retry-after': '5' },
    });
  }
}
