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
   * What an operator should change although requests succeed: the database has rejected a session in the last minute, with the
   * number of sessions that it admits and that the service can use.
   */
  detail?: string;
}
