import { Transform } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { IdentifierDto } from '../record/identifier.dto.js';
import { SelectionDto } from '../selection/selection.dto.js';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 1000;
const LIMIT_MESSAGE = `limit must be a whole number from 1 to ${MAX_LIMIT}`;

/** What the listed identifiers have in common, and which page of them is wanted. */
export class ListQueryDto extends SelectionDto {
  /** How many to answer at most. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT, required: false })
  @MayBeAbsent()
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value,
  )
  @Max(MAX_LIMIT, { message: LIMIT_MESSAGE })
  @Min(1, { message: LIMIT_MESSAGE })
  @IsInt({ message: LIMIT_MESSAGE })
  limit: number = DEFAULT_LIMIT;

  /**
   * Where the page starts: `next` of the page before.
   * @example "MTAyNA"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
  cursor?: string;
}

/** One page of identifiers in order of minting. */
export class IdentifierPageDto {
  items: IdentifierDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}
