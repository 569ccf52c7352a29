import { ApiProperty } from '../openapi/annotations.js';

/** The answer of a health check that found nothing wrong. */
export class HealthDto {
  /** Always the same: what is wrong is told by a problem. */
  @ApiProperty({ enum: ['ok'] })
  status: 'ok';
}
