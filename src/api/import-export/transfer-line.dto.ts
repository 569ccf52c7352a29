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
import { NullIsAbsent, IsAlternateIds, IsTarget, IsTime, Optional } from '../../http/validation/member-decorators.js';
import { NullableLanguage, NullableText } from '../../http/validation/described-members.js';
import { Nested } from '../../http/validation/fast-rules.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { ProblemDocumentDto } from '../../problem/problem-document.dto.js';
import {
  MAX_TARGET_LENGTH,
  REASON_CODES,
  type ReasonCode,
  STATES,
  type State,
} from '../../registry/identifier-record.js';
import { HandleValueDto } from '../representation/handle-value.dto.js';
import { MAX_VALUES } from '../../handle/values/index.js';
import { MAX_NOTATION_LENGTH, MAX_STORED_BYTES } from '../../registry/canonical-name.js';

/** About half of the maximum of PostgreSQL's INTEGER, so that an imported identifier can still be changed. */
const MAX_VERSION = 1_000_000_000;

/** A text that PostgreSQL can store: without U+0000 and lone surrogates. */
const IsKeepable = (): PropertyDecorator =>
  ValidateBy({
    name: 'isKeepable',
    validator: {
      validate: (text) => typeof text === 'string' && !text.includes('\0') && Buffer.from(text).toString() === text,
      defaultMessage: () => '$property must be well-formed text without U+0000',
    },
  });

/** The tombstone of a withdrawn identifier. */
export class TransferTombstoneDto {
  /** The time of the withdrawal, UTC. In a request: at most 5 minutes in the future. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  @IsTime()
  withdrawnAt: string;

  /** The kind of reason. A request may have kinds that otherwise only the service sets. */
  @ApiProperty({ enum: REASON_CODES, enumName: 'ReasonCode', required: false })
  @IsIn(REASON_CODES)
  reasonCode: ReasonCode = 'other';

  /** The reason, for readers. */
  @IsKeepable()
  @MaxLength(MAX_STORED_BYTES)
  @IsString()
  reason: string;

  /** The replacement, canonical; null for none. In a request: in any form. */
  @NullableText(MAX_STORED_BYTES, null, IsKeepable())
  replacedBy: string | null = null;
}

/**
 * An identifier in an export: all stored attributes, without computed ones. Only the identifier is required in an import, so that
 * a plain list can be imported.
 */
@NullIsAbsent()
export class TransferLineDto {
  /** The identifier as `NA/local`. In a request: in any form. */
  @MaxLength(MAX_NOTATION_LENGTH)
  @IsString()
  identifier: string;

  /**
   * The identifier of the metadata record that describes the object, canonical, or any text if the `metadataIdScheme` is "any"; null for
   * none. In a request: in any form.
   */
  @NullableText(MAX_STORED_BYTES, 'info:fedora/demo:7')
  metadataId: string | null = null;

  /** The URL to which the identifier resolves; null for none. In a request: if absent, the target template applies. */
  @NullableText(MAX_TARGET_LENGTH, 'https://repo.example.org/objects/7', IsTarget())
  target?: string | null;

  /** The language of the page to which the target leads, a tag of BCP 47; null for none. */
  @NullableLanguage(null)
  language: string | null = null;

  /** The state of the identifier. In a request: active if absent. */
  @ApiProperty({ enum: STATES, enumName: 'IdentifierState', required: false })
  @IsOptional()
  @IsIn(STATES)
  state?: State;

  /**
   * Alternate identifiers of the same object, canonical. In a request: in any form.
   * @example ["info:fedora/demo:8"]
   */
  @IsAlternateIds()
  alternateIds: string[] = [];

  /** The identifier of the previous version of the object, canonical. In a request: in any form. */
  @NullableText(MAX_STORED_BYTES, '100.102/A3D8BE7457C943FFB66ED4583059A8BA', IsKeepable())
  previousVersion: string | null = null;

  /**
   * The stored values of the Handle; null if there are only computed values. Values that are not public are exported only for keys with the
   * scope "admin" for the naming authority.
   */
  @ApiProperty({ type: () => [HandleValueDto], nullable: true, required: false, maxItems: MAX_VALUES, example: null })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(MAX_VALUES)
  handleValues: HandleValueDto[] | null = null;

  /** The number of Handle values that the export left out. In a request, only 0 is permitted, so that no value is lost. */
  @ApiProperty({ type: 'integer', minimum: 0, maximum: MAX_VALUES, default: 0, required: false, example: 0 })
  @Max(MAX_VALUES)
  @Min(0)
  @IsInt()
  @Optional()
  hiddenValues = 0;

  /** The version: 1 when minted, incremented with every change. In a request: 1 if absent. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_VERSION, required: false, example: 1 })
  @IsOptional()
  @Max(MAX_VERSION)
  @Min(1)
  @IsInt()
  version?: number;

  /**
   * The time of minting, UTC. In a request: at most 5 minutes in the future. The default is `updatedAt` or, without `updatedAt`, the time
   * of the import.
   */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2026-11-20T09:30:00.000Z' })
  @IsOptional()
  @IsTime()
  createdAt?: string;

  /**
   * The time of the last change, UTC. In a request: at most 5 minutes in the future. The default is `createdAt` or, without `createdAt`,
   * the time of the import.
   */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2026-11-20T09:30:00.000Z' })
  @IsOptional()
  @IsTime()
  updatedAt?: string;

  /** The end of the lease of a reserved identifier, UTC; null in any other state. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false, example: null })
  @IsOptional()
  @IsTime()
  leaseUntil: string | null = null;

  /** The tombstone of a withdrawn identifier; null in any other state. */
  @ApiProperty({ type: () => TransferTombstoneDto, nullable: true, required: false, example: null })
  @IsOptional()
  @Nested(() => TransferTombstoneDto)
  tombstone: TransferTombstoneDto | null = null;
}

/** The result of a line: `identifier` and `outcome`, or `problem`. */
export class ImportResultDto {
  /** The number of the line in the file, counted from 1. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  line: number;

  /** 201 if the identifier was imported, 200 if it was unchanged, any other status with `problem`. */
  @ApiProperty({ type: 'integer', example: 201 })
  status: number;

  /** The registered identifier as `NA/local`. */
  identifier?: string;

  /** "unchanged" if the identifier is already registered with the values of the line. */
  @ApiProperty({ enum: ['imported', 'unchanged'], required: false })
  outcome?: 'imported' | 'unchanged';

  /**
   * Why the line was not imported. The code is one that `POST /identifiers` returns with 409 or 422, `INVALID_REQUEST`, `MALFORMED_JSON`,
   * `BODY_TOO_LARGE`, `NAMING_AUTHORITY_FORBIDDEN`, or a syntax code.
   */
  problem?: ProblemDocumentDto;
}
