import { IsInt, Max, MaxLength, Min } from 'class-validator';
import { NullIsAbsent, IsAlternateIds, IsTarget, Optional } from '../../http/validation/member-decorators.js';
import { Nested } from '../../http/validation/fast-rules.js';
import { FileQueryDto } from '../../http/csv/file-query.dto.js';
import type { RepairCode } from '@mintmark/identifier';
import { ApiProperty } from '../../openapi/annotations.js';
import { ProblemDocumentDto } from '../../problem/problem-document.dto.js';
import { MAX_NOTATION_LENGTH, MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { MAX_TARGET_LENGTH, STATES, type State } from '../../registry/identifier-record.js';
import { ChangedTombstoneDto, IdentifierDto, REPAIRS } from '../representation/identifier.dto.js';
import { WithdrawRequestDto } from '../representation/withdraw-request.dto.js';
import {
  NullableLanguage,
  NullableText,
  OptionalBoolean,
  OptionalText,
} from '../../http/validation/described-members.js';

/** The largest version that the database can store. */
const MAX_VERSION = 2_147_483_647;

/** Settings for all lines of a stream of changes. */
export class ChangesQueryDto extends FileQueryDto {
  /** The naming authority of lines that have neither `identifier` nor `namingAuthority`. */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;
}

/** A line of a stream of changes: the identifier and the values to set. An absent member is not changed. */
@NullIsAbsent()
export class ChangeLineDto {
  /** The identifier in any form. If absent, `metadataId` names the identifier. */
  @MaxLength(MAX_NOTATION_LENGTH)
  @OptionalText()
  identifier?: string;

  /**
   * In a line without `identifier`: the naming authority of the identifier that has the metadata ID. The default is the naming authority of
   * the request.
   */
  @MaxLength(255)
  @OptionalText()
  namingAuthority?: string;

  /** A name that the client chooses for the line; the result repeats it. */
  @MaxLength(255)
  @OptionalText()
  clientRef?: string;

  /** The http or https URL to which the identifier resolves; null removes it. */
  @NullableText(MAX_TARGET_LENGTH, 'https://repo.example.org/objects/8', IsTarget())
  target?: string | null;

  /** The language of the page to which the target leads, as a case-insensitive tag of BCP 47; null removes it. */
  @NullableLanguage('de')
  language?: string | null;

  /**
   * The identifier of the metadata record (CID-24) in any form, unique within the naming authority; null removes it. In a line without
   * `identifier`, the metadata ID names the identifier to change and is not changed itself.
   */
  @NullableText(MAX_STORED_BYTES, 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA')
  metadataId?: string | null;

  /**
   * All alternate identifiers of the object, in any form; they replace the present ones. An empty list or null removes all. An alternate
   * must not be the identifier of another object; adding an alternate under a naming authority of this service requires the right to
   * register there.
   * @example ["info:fedora/demo:8"]
   */
  @IsAlternateIds(true)
  alternateIds?: string[] | null;

  /**
   * The identifier of the previous version of the object, in any form; null removes it. A previous version under a naming authority of this
   * service must be registered and not reserved. For a reserved identifier, only a line with `activate` can set this member.
   */
  @NullableText(MAX_STORED_BYTES, '100.102/A3D8BE7457C943FFB66ED4583059A8BA')
  previousVersion?: string | null;

  /** Withdraws the identifier. A line with `withdraw` must not set values. */
  @Optional()
  @Nested(() => WithdrawRequestDto)
  withdraw?: WithdrawRequestDto;

  /** Whether to reinstate the withdrawn identifier. A line that reinstates must not set values. */
  @OptionalBoolean()
  reinstate?: boolean;

  /** Whether to activate the reserved identifier (and the metadata record that was minted with it) with the values of the line. */
  @OptionalBoolean()
  activate?: boolean;

  /**
   * The http or https URL to which the metadata record that was minted with the object resolves, in the format of `target`; only
   * with `"activate": true`.
   */
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @OptionalText()
  metadataTarget?: string;

  /** The version that the identifier must have; with any other version, the line fails with 412. */
  @ApiProperty({ type: 'integer', minimum: 1, maximum: MAX_VERSION, required: false, example: 3 })
  @Optional()
  @Max(MAX_VERSION)
  @Min(1)
  @IsInt()
  ifVersion?: number;
}

/** Members of an identifier that a line changes. */
export class ChangedMembersDto {
  /** The target. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'https://repo.example.org/objects/7' })
  target?: string | null;

  /** The language of the page to which the target leads. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'de' })
  language?: string | null;

  /** The metadata ID. */
  @ApiProperty({ type: String, nullable: true, required: false, example: 'info:fedora/demo:7' })
  metadataId?: string | null;

  /**
   * The alternate identifiers.
   * @example ["info:fedora/demo:8"]
   */
  alternateIds?: string[];

  /** The identifier of the previous version of the object. */
  @ApiProperty({ type: String, nullable: true, required: false, example: null })
  previousVersion?: string | null;

  /** The state. */
  @ApiProperty({ enum: STATES, enumName: 'IdentifierState', required: false })
  state?: State;

  /** The end of the lease of a reserved identifier, UTC. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, required: false, example: null })
  leaseUntil?: string | null;

  /** The tombstone, without its time. */
  @ApiProperty({ type: () => ChangedTombstoneDto, nullable: true, required: false })
  tombstone?: ChangedTombstoneDto | null;
}

/** The result of a line, including in a dry run: `outcome`, `identifier` and `version`, or `problem`. */
export class ChangeResultDto {
  /** The number of the line in the request, counted from 1. Blank lines count. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1 })
  line: number;

  /** The name that the client chose for the line; null if the client chose none. */
  @ApiProperty({ type: String, nullable: true, example: 'row 7' })
  clientRef: string | null;

  /** The status that the change would have as a single request: 200, or the status of `problem`. */
  @ApiProperty({ type: 'integer', example: 200 })
  status: number;

  /** The identifier as `NA/local`; in a result with `problem`, present only if the line names a registered identifier that was read. */
  identifier?: string;

  /** The repairs of the identifier in the line, with the codes of `POST /normalize`; absent if there are none. */
  @ApiProperty(REPAIRS)
  repairs?: readonly RepairCode[];

  /** "unchanged" if the identifier already had the requested values. */
  @ApiProperty({ enum: ['changed', 'unchanged'], required: false })
  outcome?: 'changed' | 'unchanged';

  /** The version after the change. */
  @ApiProperty({ type: 'integer', required: false, example: 2 })
  version?: number;

  /**
   * Why the line failed. The code is one that `PATCH /identifiers/{identifier}` or another change of a single identifier returns. Pointers
   * refer to the line.
   */
  problem?: ProblemDocumentDto;

  /** The members that the change affects, with their values before the change; absent for "unchanged". */
  old?: ChangedMembersDto;

  /** In a dry run: the members of `old`, with their values after the change. */
  new?: ChangedMembersDto;

  /** The representation at the time of the result; absent with `problem`, in a dry run, or with `Prefer: return=minimal`. */
  record?: IdentifierDto;
}
