import { IsIn, IsString, Length, Matches, MaxLength } from 'class-validator';
import { HasNoControls, NullIsAbsent, Optional } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { REASON_CODES, REQUESTED_REASON_CODES, type ReasonCode } from '../../registry/identifier-record.js';
import { OptionalText } from '../../http/validation/described-members.js';

const MAX_REASON_LENGTH = 1000;

/** The reason for a withdrawal, as a code and as a text, and the replacement. */
@NullIsAbsent()
export class WithdrawRequestDto {
  /**
   * The kind of reason. The resolver of this service (`GET /{NA}/{localName}`) redirects a `duplicate` to the destination of its
   * replacement. The response for an identifier that is withdrawn for a `legal` reason is 451, and only keys with the scope "curate" for
   * its naming authority see its values.
   */
  @ApiProperty({ enum: REQUESTED_REASON_CODES, enumName: 'RequestedReasonCode', default: 'other', required: false })
  @Optional()
  // Codes that only the service sets pass this check and are rejected later with a separate error code.
  @IsIn(REASON_CODES, {
    message: `$property must be one of the following values: ${REQUESTED_REASON_CODES.join(', ')}`,
  })
  reasonCode?: ReasonCode;

  /** The reason, for readers who follow the identifier later: one line without control characters, which must not be blank. */
  @ApiProperty({ minLength: 1, maxLength: MAX_REASON_LENGTH, example: 'The object was deposited twice.' })
  @Matches(/\S/, { message: 'reason must not be empty' })
  @HasNoControls()
  @Length(1, MAX_REASON_LENGTH)
  @IsString()
  reason: string;

  /**
   * The replacement, in any form. A replacement under a naming authority of this service must be active. If a withdrawn identifier is
   * withdrawn again as `legal` and no replacement is sent, the identifier keeps its replacement.
   * @example "100.102/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  @MaxLength(MAX_STORED_BYTES)
  @OptionalText()
  replacedBy?: string;
}
