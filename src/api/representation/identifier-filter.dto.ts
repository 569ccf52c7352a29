import { IsQueryBoolean } from '../../http/validation/query-boolean.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { Matches, MaxLength } from 'class-validator';
import { Optional, IsTimeOrDate } from '../../http/validation/member-decorators.js';
import { MAX_TARGET_LENGTH, STATES, type State } from '../../registry/identifier-record.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

/** A number of identifiers. */
export class CountDto {
  /**
   * The number, or an estimate.
   * @example 4711
   */
  @ApiProperty({ type: 'integer', format: 'int64', minimum: 0 })
  value: number;

  /**
   * Whether `value` is exact. A value above 10,000 is an estimate, as is any value that would take too long to count.
   * @example true
   */
  isExact: boolean;
}

/** A filter for identifiers; all given members must match. */
export class IdentifierFilterDto {
  /**
   * The metadata ID, in any form; under a naming authority with the `metadataIdScheme` "any", the exact text. In a query, "+" is a space.
   */
  @MaxLength(MAX_STORED_BYTES)
  @OptionalText()
  metadataId?: string;

  /** The naming authority of the identifiers. Derived naming authorities do not match. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;

  /** The state. */
  @OptionalChoice(STATES, { enumName: 'IdentifierState' })
  state?: State;

  /** The target, exactly as registered. */
  @Matches(/^[\x21-\x7e]+$/, { message: 'target must consist of visible ASCII characters and must not be empty' })
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  target?: string;

  /**
   * One of the alternate identifiers, in any form. In a query, "+" is a space.
   * @example "info:fedora/demo:7"
   */
  @MaxLength(MAX_STORED_BYTES)
  @OptionalText()
  alternateId?: string;

  /** Whether the identifiers have a metadata ID. */
  @IsQueryBoolean(false)
  hasMetadataId?: boolean;

  /** Whether the identifiers have a target. */
  @IsQueryBoolean(false)
  hasTarget?: boolean;

  /** Only identifiers minted at or after this time (RFC 3339). A date means the start of that day in UTC. */
  @ApiProperty({ type: String, required: false, example: '2026-11-20' })
  @Optional()
  @IsTimeOrDate()
  createdFrom?: string;

  /** Only identifiers minted before this time (RFC 3339). A date means the start of that day in UTC. */
  @ApiProperty({ type: String, required: false, example: '2026-11-21T00:00:00Z' })
  @Optional()
  @IsTimeOrDate()
  createdBefore?: string;
}
