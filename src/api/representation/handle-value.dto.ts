import { ApiProperty } from '../../openapi/annotations.js';

/** The data of a Handle value. */
export class HandleValueDataDto {
  /** `string` for text, `base64` for other bytes; `admin`, `vlist`, `site` and `key` for the data of types such as `HS_ADMIN`. */
  @ApiProperty({ enum: ['string', 'base64', 'admin', 'vlist', 'site', 'key'], example: 'string' })
  format: string;

  /** A text for `string` and `base64`, an object for `admin`, `site` and `key`, a list of references for `vlist`. */
  @ApiProperty({
    oneOf: [
      { type: 'string' },
      { type: 'object', additionalProperties: true },
      { type: 'array', items: { type: 'object', additionalProperties: true } },
    ],
    example: 'a@example.org',
  })
  value: unknown;
}

/** A stored value of a Handle (RFC 3651 3). */
export class HandleValueDto {
  /** The index, unique in the record. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 2147483647, example: 2 })
  index: number;

  /**
   * The type.
   * @example "EMAIL"
   */
  type: string;

  /** The data. */
  data: HandleValueDataDto;

  /** How long the value may be cached: seconds, or a time of RFC 3339. */
  @ApiProperty({ oneOf: [{ type: 'integer' }, { type: 'string', format: 'date-time' }], example: 86400 })
  ttl: number | string;

  /**
   * Four digits, each 0 or 1: whether administrators may read, administrators may write, everybody may read, and everybody may write.
   * @example "1110"
   */
  permissions: string;

  /**
   * The time of the last change in whole seconds, UTC.
   * @example "2026-11-20T09:30:00Z"
   */
  @ApiProperty({ type: String, format: 'date-time' })
  timestamp: string;
}
