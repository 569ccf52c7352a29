import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength } from 'class-validator';
import { ApiProperty } from '../openapi/annotations.js';
import { IdentifierDto } from '../record/identifier.dto.js';
import { MAX_ALTERNATES, MAX_TARGET_LENGTH } from '../record/identifier-record.js';
import { MAX_LOCAL_NAME_OCTETS, MAX_STORED_OCTETS } from '../record/stored-name.js';
import { IsTarget } from '../record/target.js';
import { IsTime } from '../record/time.js';
import { MayBeAbsent } from '../http/may-be-absent.js';

/** What to do when the metadata ID describes an identifier of the naming authority already. */
const ON_EXISTING = ['return', 'reject'] as const;

/** States in which an identifier can begin. */
const FIRST_STATES = ['active', 'reserved'] as const;

/** What a request to mint says, but for the naming authority. Of several rules of a field, the one written last is checked first. */
export class MintFieldsDto {
  /**
   * The identifier of the record that describes the object (CID-24): a CORDRA identifier, another Handle, a Fedora PID
   * or a Fedora dissemination URI, in any spelling. Unique within the naming authority.
   * @example "hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA"
   */
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS)
  @IsString()
  metadataId?: string;

  /**
   * Mints the metadata record's identifier too, under the same naming authority and in the same transaction; not
   * together with `metadataId`.
   * @example false
   */
  @MayBeAbsent()
  @IsBoolean()
  mintMetadataId?: boolean;

  /**
   * The http(s) URL the identifier resolves to; characters outside visible ASCII are percent-encoded.
   * @example "https://repo.example.org/objects/7"
   */
  @MayBeAbsent()
  @IsTarget()
  @MaxLength(MAX_TARGET_LENGTH)
  @IsString()
  target?: string;

  /**
   * Other identifiers of the same object, in any spelling; kept in the order given, without repeats.
   * @example ["info:fedora/demo:7"]
   */
  @ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, required: false })
  @MayBeAbsent()
  @MaxLength(MAX_STORED_OCTETS, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ALTERNATES)
  @IsArray()
  alternateIds?: string[];

  /**
   * Registers an identifier that exists already instead of minting one: the 32 hexadecimal digits of its local name in
   * any case, or another text form of the UUID.
   * @example "F58FB49EB1F848F0A606E84CEF294BE5"
   */
  @MayBeAbsent()
  @MaxLength(64)
  @IsString()
  guid?: string;

  /**
   * Registers an identifier under a naming authority of the profile "handle" by its local name: any suffix of a legal
   * Handle (CID-02), kept as it is written.
   */
  @ApiProperty({ required: false, minLength: 1, maxLength: MAX_LOCAL_NAME_OCTETS, example: 'report/2026-11' })
  @MayBeAbsent()
  @MaxLength(MAX_LOCAL_NAME_OCTETS)
  @IsString()
  localName?: string;

  /** "reserved" holds the identifier until `leaseUntil` without making it active. */
  @ApiProperty({ enum: FIRST_STATES, default: 'active', required: false })
  @MayBeAbsent()
  @IsIn(FIRST_STATES)
  state?: (typeof FIRST_STATES)[number];

  /** Until when a reserved identifier is held, in the future (RFC 3339); it must be activated before. */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2126-11-20T09:30:00Z' })
  @MayBeAbsent()
  @IsTime()
  leaseUntil?: string;

  /** When `metadataId` is known in the naming authority: answer the identifier it describes, or refuse with 409. */
  @ApiProperty({ enum: ON_EXISTING, default: 'return', required: false })
  @MayBeAbsent()
  @IsIn(ON_EXISTING)
  onExisting?: (typeof ON_EXISTING)[number];
}

/** An identifier to mint, or one that exists already to register. */
export class MintRequestDto extends MintFieldsDto {
  /**
   * The naming authority to mint under; it must be configured here (CID-09).
   * @example "100.102"
   */
  @MaxLength(255)
  @IsString()
  namingAuthority: string;
}

/** The answer to a mint. */
export class MintedIdentifierDto extends IdentifierDto {
  /** The identifier of the metadata record that was minted with it (`mintMetadataId`), else null. */
  @ApiProperty({ type: () => IdentifierDto, nullable: true, example: null })
  metadataRecord: IdentifierDto | null;
}
