import { ApiProperty } from '../../openapi/annotations.js';

/** A number of identifiers. */
export class CountDto {
  /**
   * The number, or an estimate.
   * @example 4711
   */
  @ApiProperty({ type: 'integer', minimum: 0 })
  value: number;

  /**
   * False for an estimate from the statistics of the database, which is used from 10,000 on.
   * @example true
   */
  isExact: boolean;
}
