import { ApiProperty } from '../../openapi/annotations.js';

/** The response of a successful health check. */
export class HealthDto {
  /** Always "ok"; a failed check returns a problem. */
  @ApiProperty({ enum: ['ok'] })
  state: 'ok';

  /**
   * The version of Mintmark.
   * @example "1.4.0"
   */
  version: string;

  /**
   * What an operator should change although requests succeed; present if the database rejected a session in the last minute. The text says
   * how many sessions the database admits and how many the service can use.
   */
  detail?: string;
}
