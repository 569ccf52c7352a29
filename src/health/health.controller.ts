import { Controller, Get, Inject } from '@nestjs/common';
import pg from 'pg';
import { Public } from '../access/scope.js';
import { missingMigrations } from '../database/schema-state.js';
import { ApiResponse, ApiTags } from '../openapi/annotations.js';
import { ApiOnlyProblems } from '../problem/api-problems.js';
import { Problem } from '../problem/problem.js';
import { HealthDto } from './health.dto.js';

@Public()
@ApiTags('health')
@Controller('health')
export class HealthController {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  /** Is the process alive? */
  @Get('live')
  @ApiResponse({ status: 200, description: 'It is.', type: HealthDto })
  @ApiOnlyProblems()
  live(): HealthDto {
    return { status: 'ok' };
  }

  /**
   * Can it serve requests?
   * @remarks
   * It can when the database answers and has every migration this version brings.
   */
  @Get('ready')
  @ApiResponse({ status: 200, description: 'It can.', type: HealthDto })
  @ApiOnlyProblems('DATABASE_UNAVAILABLE', 'SHUTTING_DOWN')
  async ready(): Promise<HealthDto> {
    const missing = await missingMigrations(this.pool);
    if (missing.length === 0) return { status: 'ok' };
    throw new Problem('DATABASE_UNAVAILABLE', `The database lacks the migrations ${missing.join(', ')}.`, {
      headers: { 'retry-after': '5' },
    });
  }
}
