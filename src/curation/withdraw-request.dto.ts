import { IsString, Length, Matches, MaxLength } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';

/** Longest reason, in characters. */
const MAX_REASON_LENGTH = 1000;

/** Why an identifier is withdrawn, and what to use instead. */
export class WithdrawRequestDto {
  /** Why, in words for people who still follow the identifier. */
  @ApiProperty({ minLength: 1, maxLength: MAX_REASON_LENGTH, example: 'The object was deposited twice.' })
  @Matches(/\S/, { message: 'reason must say something' })
  @Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: 'reason must be without control characters and halves of characters' })
  @Length(1, MAX_REASON_LENGTH)
  @IsString()
  reason: string;

  /**
   * The identifier to use instead, in any spelling. Under a naming authority of this service it must be active.
   * @example "100.102/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  replacedBy?: string;
}
