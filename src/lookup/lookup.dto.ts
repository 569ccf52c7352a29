import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { SYNTAX_CODES, type SyntaxCode } from '../identifier/index.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MATCHED_BY, type MatchedBy } from '../record/find-any.js';
import { IdentifierDto } from '../record/identifier.dto.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';

/** Most texts of one look-up. */
const MAX_INPUTS = 1000;

const STATUSES = ['found', 'missing', 'malformed'] as const;

/** Texts that may name registered identifiers, as somebody pasted them. */
export class LookupRequestDto {
  /** Identifiers, metadata IDs and alternate identifiers, mixed, in any spelling. */
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_INPUTS,
    example: ['hdl:100.102/f58fb49eb1f848f0a606e84cef294be5', 'demo:7', 'no such thing'],
  })
  @MaxLength(MAX_STORED_OCTETS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_INPUTS)
  @ArrayMinSize(1)
  @IsArray()
  inputs: string[];
}

/** Why a text is no identifier. */
export class LookupFaultDto {
  /** The syntax code. */
  @ApiProperty({ enum: SYNTAX_CODES, enumName: 'SyntaxCode' })
  code: SyntaxCode;

  /**
   * What was found and what was expected.
   * @example "expected 32 hexadecimal digits, found 31"
   */
  detail: string;

  /**
   * Where the text broke, in UTF-16 code units.
   * @example 8
   */
  @ApiProperty({ type: 'integer' })
  offset: number;
}

/** What became of one text. */
export class LookupResultDto {
  /**
   * The text as it came.
   * @example "hdl:100.102/f58fb49eb1f848f0a606e84cef294be5"
   */
  input: string;

  /** "missing" is well formed, and nothing here has it. */
  @ApiProperty({ enum: STATUSES })
  status: (typeof STATUSES)[number];

  /** As what the text was found; null when it was not. */
  @ApiProperty({ enum: MATCHED_BY, nullable: true, type: String, example: 'identifier' })
  matchedBy: MatchedBy | null;

  /** The record that was found: of several with the same metadata ID or alternate, the one that was minted first. */
  @ApiProperty({ type: () => IdentifierDto, required: false })
  identifier?: IdentifierDto;

  /**
   * The other identifiers that the text leads to, `NA/local`; the same metadata ID or alternate may stand under several
   * naming authorities.
   * @example []
   */
  @ApiProperty({ type: [String], required: false })
  others?: string[];

  /**
   * The canonical spelling of a well-formed text.
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  canonical?: string;

  /** Why a malformed text is no identifier. */
  @ApiProperty({ type: () => LookupFaultDto, required: false })
  error?: LookupFaultDto;
}

/** A result for each text, in order. */
export class LookupAnswerDto {
  /** A result for each text, in order. */
  items: LookupResultDto[];
}
