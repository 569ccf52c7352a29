import { ArrayMaxSize, ArrayMinSize, IsArray, MaxLength, maxLength } from 'class-validator';
import { NullIsAbsent, Optional } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { IdentifierDto } from '../representation/identifier.dto.js';
import { MintFieldsDto, UNDERSTOOD } from './mint-request.dto.js';
import { readPart } from '../../http/validation/request-validation.js';
import { ProblemDocumentDto } from '../../problem/problem-document.dto.js';
import { Problem } from '../../problem/problem.js';
import { IGNORABLE_MEMBERS, type IgnorableMember } from '../../registry/ignored-members.js';
import type { Understood } from '../../registry/mint-command.js';
import type { ReceivedItem } from '../../bulk/mint-item.js';
import { IsWholeNumber, OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

export const MAX_ITEMS = 10_000;

/** Whether a failed item prevents all other items from being minted. */
export const BATCH_MODES = ['perItem', 'atomic'] as const;

/** One of many mint requests. */
export class MintItemDto extends MintFieldsDto {
  /** The naming authority of this item. The default is the naming authority of the request. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;

  /** A name that the client chooses for this item; the result repeats it. */
  @MaxLength(255)
  @OptionalText()
  clientRef?: string;
}

/** Identifiers to mint: `items`, or a `count` of identifiers without attributes. */
@NullIsAbsent()
export class BatchRequestDto {
  /** The naming authority of items that name none. `count` requires this member. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;

  /** How many identifiers to mint; not permitted with `items`. */
  @ApiProperty({ required: false, example: 100 })
  @Optional()
  @IsWholeNumber(1, MAX_ITEMS)
  count?: number;

  /** The items to mint. Each item is validated on its own. */
  @ApiProperty({ type: () => [MintItemDto], minItems: 1, maxItems: MAX_ITEMS, required: false })
  @Optional()
  @ArrayMaxSize(MAX_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  items?: unknown[];
}

/** How a batch is processed. */
export class BatchQueryDto {
  /** "perItem" mints all valid items; "atomic" mints all items or none. */
  @OptionalChoice(BATCH_MODES, { default: 'perItem' })
  mode: (typeof BATCH_MODES)[number] = 'perItem';
}

/** Settings for all lines of a stream. */
export class BulkQueryDto {
  /** The naming authority of lines that name none. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;
}

/** The result of an item: `identifier` or `problem`. */
export class MintResultDto {
  /** The name that the client chose for the item; null if the client chose none. */
  @ApiProperty({ type: String, nullable: true, example: 'row 7' })
  clientRef: string | null;

  /** The status that `POST /identifiers` would return: 201 or 200 with `identifier`, any other status with `problem`. */
  @ApiProperty({ type: 'integer', example: 201 })
  status: number;

  /** The identifier as `NA/local`. */
  identifier?: string;

  /**
   * With `Prefer: return=minimal`: the canonical metadata ID that was minted with the identifier (`mintMetadataId`); absent for none.
   * @example "hdl:100.102/3D9C7A10B54E4C6F8A2B1E0D9F8C7B6A"
   */
  metadataId?: string;

  /** The representation of the identifier; absent with `Prefer: return=minimal`. */
  record?: IdentifierDto;

  /**
   * The identifier of the metadata record that was minted with this identifier (`mintMetadataId`), otherwise null; absent with
   * `Prefer: return=minimal`.
   */
  @ApiProperty({ type: () => IdentifierDto, nullable: true, required: false, example: null })
  metadataRecord?: IdentifierDto | null;

  /**
   * The members of the item that differ in the returned identifier, because the identifier already existed with other values or has changed
   * since it was minted; absent if there are none.
   */
  @ApiProperty({ enum: IGNORABLE_MEMBERS, isArray: true, required: false, example: ['target'] })
  ignored?: readonly IgnorableMember[];

  /**
   * The stored notation of each name that was sent in another notation, by its JSON Pointer (RFC 6901) in the item; absent if every name is
   * stored as it was sent.
   */
  @ApiProperty(UNDERSTOOD)
  understood?: Understood;

  /** Why the item failed. The code is one of `POST /identifiers` or, in a batch, `DUPLICATE_IN_REQUEST`. Pointers refer to the item. */
  problem?: ProblemDocumentDto;
}

/** The response to a batch. */
export class BatchResponseDto {
  /** One result for each item, in the order of the request. */
  items: MintResultDto[];
}

/** A line of the response to a stream. */
export class MintLineDto extends MintResultDto {
  /** The number of the line in the request, counted from 1. Blank lines count. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  line: number;
}

/** Validates an item. The `request` of an invalid item is a Problem with pointers into the item. */
export function readItem(value: unknown): ReceivedItem {
  return { clientRef: clientRefOf(value), request: requestIn(value), value };
}

function requestIn(value: unknown): MintItemDto | Problem {
  try {
    return readPart(MintItemDto, value);
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Reads `clientRef` even from an invalid item, so that the client can match the result to the item. */
function clientRefOf(value: unknown): string | null {
  const { clientRef } = typeof value === 'object' && value !== null ? (value as Partial<MintItemDto>) : {};
  return typeof clientRef === 'string' && maxLength(clientRef, 255) ? clientRef : null;
}
