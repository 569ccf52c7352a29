import {
  ArrayMaxSize,
  IsArray,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import { Nested } from '../http/dto-rules.js';
import { ApiProperty } from '../openapi/annotations.js';
import { ProblemDocumentDto } from '../problem/problem-document.dto.js';
import { MAX_ALTERNATES, MAX_TARGET_LENGTH, STATES, type State } from '../record/identifier-record.js';
import { MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTarget } from '../record/target.js';
import { IsTime } from '../record/time.js';

/** The largest version that is taken: half of PostgreSQL's INTEGER, so that what is imported can still be changed. */
const MAX_VERSION = 1_000_000_000;

/** A text that the database keeps as it is: it has no U+0000, and surrogates only in pairs. */
const IsKeepable = (): PropertyDecorator =>
  ValidateBy({
    name: 'isKeepable',
    validator: {
      validate: (text) => typeof text === 'string' && !text.includes('\0') && Buffer.from(text).toString() === text,
      defaultMessage: () => '$property must be well-formed text without U+0000',
    },
  });

/** What is left of a withdrawn identifier. */
export class TransferTombstoneDto {
  /** When it was withdrawn, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  @IsTime()
  withdrawnAt: string;

  /**
   * Why, in words for people.
   * @example "The object was deposited twice."
   */
  @IsKeepable()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  reason: string;

  /** The identifier to use instead, if there is one. */
  @ApiProperty({ type: String, nullable: true, required: false, example: null })
  @IsOptional()
  @IsKeepable()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  replacedBy: string | null = null;
}

/** An identifier on its way from one registry to another: everything about it that is kept, and nothing that is computed. */
export class TransferLineDto {
  /**
   * The identifier.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  identifier: string;

  /** The identifier of the record that describes the object. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'info:fedora/demo:7' })
  @IsOptional()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  metadataId: string | null = null;

  /** The URL it resolves to. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'https://repo.example.org/objects/7' })
  @IsOptional()
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  target: string | null = null;

  /** Its place in the life of an identifier. */
  @ApiProperty({ enum: STATES, enumName: 'State' })
  @IsIn(STATES)
  state: State;

  /**
   * Other identifiers of the same object.
   * @example ["info:fedora/demo:8"]
   */
  @ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, required: false })
  @IsOptional()
  @MaxLength(MAX_STORED_OCTETS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ALTERNATES)
  @IsArray()
  alternateIds: string[] = [];

  /** 1 when it was minted, one more with every change. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_VERSION, example: 1 })
  @Max(MAX_VERSION)
  @Min(1)
  @IsInt()
  version: number;

  /** When it was minted, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  @IsTime()
  createdAt: string;

  /** When it was last changed, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  @IsTime()
  updatedAt: string;

  /** Until when a reserved identifier is held, UTC; null for all others. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false, example: null })
  @IsOptional()
  @IsTime()
  leaseUntil: string | null = null;

  /** What is left of a withdrawn identifier; null for all others. */
  @ApiProperty({ type: () => TransferTombstoneDto, nullable: true, required: false, example: null })
  @IsOptional()
  @Nested(() => TransferTombstoneDto)
  tombstone: TransferTombstoneDto | null = null;
}

/** What became of a line: `identifier` and `outcome`, or `problem`. */
export class ImportResultDto {
  /** The number of the line in the file, counted from 1. */
  @ApiProperty({ type: 'integer', example: 1 })
  line: number;

  /** 201 when it was imported, 200 when it was there already exactly so, any other with `problem`. */
  @ApiProperty({ type: 'integer', example: 201 })
  status: number;

  /** The identifier as it is registered, `NA/local`. */
  identifier?: string;

  /** Whether anything was done. */
  @ApiProperty({ enum: ['imported', 'unchanged'], required: false })
  outcome?: 'imported' | 'unchanged';

  /** Why nothing was done. */
  problem?: ProblemDocumentDto;
}
