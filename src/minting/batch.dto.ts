import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MintFieldsDto, MintedIdentifierDto } from './mint-request.dto.js';
import { ProblemDocumentDto } from '../problem/problem-document.dto.js';

/** Most items of a batch. */
export const MAX_ITEMS = 10_000;

/** Whether refused items keep all others from being minted. */
export const BATCH_MODES = ['perItem', 'atomic'] as const;

const COUNT_MESSAGE = `count must be a whole number from 1 to ${MAX_ITEMS}`;

/** One of many mint requests. */
export class MintItemDto extends MintFieldsDto {
  /**
   * The naming authority to mint under; where it is absent, that of the whole request.
   * @example "100.102"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;

  /**
   * The client's own name for this item; its result has it too.
   * @example "row 7"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  clientRef?: string;
}

/** Many identifiers to mint: `items`, or `count` of them that have nothing but a name. */
export class BatchRequestDto {
  /**
   * The naming authority of all items that name none themselves; `count` needs it.
   * @example "100.102"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;

  /** How many identifiers to mint; not together with `items`. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_ITEMS, required: false, example: 100 })
  @MayBeAbsent()
  @Max(MAX_ITEMS, { message: COUNT_MESSAGE })
  @Min(1, { message: COUNT_MESSAGE })
  @IsInt({ message: COUNT_MESSAGE })
  count?: number;

  /** What to mint. Each item is held against its own rules later, one by one, and refused by itself. */
  @ApiProperty({ type: () => [MintItemDto], minItems: 1, maxItems: MAX_ITEMS, required: false })
  @MayBeAbsent()
  @ArrayMaxSize(MAX_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  items?: unknown[];
}

/** How a batch is to be taken. */
export class BatchQueryDto {
  /** "perItem" mints what can be minted; "atomic" mints everything or nothing. */
  @ApiProperty({ enum: BATCH_MODES, default: 'perItem', required: false })
  @MayBeAbsent()
  @IsIn(BATCH_MODES)
  mode: (typeof BATCH_MODES)[number] = 'perItem';
}

/** What holds for every line of a stream. */
export class BulkQueryDto {
  /**
   * The naming authority of all lines that name none themselves.
   * @example "100.102"
   */
  @MayBeAbsent()
  @MaxLength(255)
  @IsString()
  namingAuthority?: string;
}

/** What became of an item: `identifier` or `problem`. */
export class MintResultDto {
  /** The client's own name for the item; null where it sent none. */
  @ApiProperty({ type: String, nullable: true, example: 'row 7' })
  clientRef: string | null;

  /** The status that `POST /identifiers` would answer: 201 or 200 with `identifier`, any other with `problem`. */
  @ApiProperty({ type: 'integer', example: 201 })
  status: number;

  /** The identifier, as `POST /identifiers` answers it. */
  identifier?: MintedIdentifierDto;

  /** Why there is none; pointers are relative to the item. */
  problem?: ProblemDocumentDto;
}

/** The answer to a batch. */
export class BatchAnswerDto {
  /** A result for each item, in the order of the request. */
  results: MintResultDto[];
}

/** A line of the answer to a stream. */
export class MintLineDto extends MintResultDto {
  /** The number of the line in the request, counted from 1; lines without anything count too. */
  @ApiProperty({ type: 'integer', example: 1 })
  line: number;
}
