import { KINDS, type Kind, REPAIR_CODES, type RepairCode, SYNTAX_CODES, type SyntaxCode } from '../identifier/index.js';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '../openapi/annotations.js';
import { UrisDto } from '../record/identifier.dto.js';

const NULLABLE_TEXT = { type: String, nullable: true, required: false } as const;

/** What a valid text consists of. Each kind has the members that apply to it; the others are absent. */
export class PartsDto {
  /** Native text of the CORDRA identifier in a URI. */
  identifier?: string;
  /** Native text of the Handle in a URI. */
  handle?: string;
  /** The Handle prefix. */
  namingAuthority?: string;
  /** 32 hexadecimal digits in capitals (CID-14). */
  guid?: string;
  /** What follows the first "/"; decoded, but for a CORDRA identifier. */
  localName?: string;
  /** Without "?"; "" when empty, null when absent. */
  @ApiProperty(NULLABLE_TEXT) query?: string | null;
  /** Without "#"; "" when empty, null when absent. */
  @ApiProperty(NULLABLE_TEXT) fragment?: string | null;
  /** The form of an hdl URI. */
  @ApiProperty({ enum: ['path', 'host', 'name', 'authority', 'server'], required: false }) form?: string;
  /** The server of an hdl URI in the form `server`: host and port. */
  @ApiProperty(NULLABLE_TEXT) server?: string | null;
  /** The namespace of a Fedora PID (FED-03). */
  namespaceId?: string;
  /** The object of a Fedora PID, escapes and all. */
  objectId?: string;
  /** The PID in a Fedora URI. */
  pid?: string;
  /** What a dissemination URI names. */
  @ApiProperty({ enum: ['datastream', 'method-call'], required: false }) type?: string;
  /** Decoded (FED-10). */
  datastreamId?: string;
  /** The PID of the service definition (FED-15). */
  sDefPid?: string;
  /** Decoded (FED-15). */
  methodName?: string;
  /** Decoded names and values, in canonical order (FED-21). */
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    required: false,
  })
  params?: [string, string][];
  /** The UUID as 8-4-4-4-12 in lower case (UUID-01). */
  hyphenated?: string;
  /** The version of a UUID of the RFC variant, else null (UUID-02). */
  @ApiProperty({ type: 'integer', nullable: true, required: false }) version?: number | null;
  /** UUID-03. */
  @ApiProperty({ enum: ['ncs', 'rfc4122', 'microsoft', 'future'], required: false }) variant?: string;
  /** Whether a DCE algorithm can have made the UUID (UUID-04). */
  dce?: boolean;
}

/** Why a text was refused. */
export class SyntaxErrorDto {
  /** What to switch over; the list is closed. */
  @ApiProperty({ enum: SYNTAX_CODES, enumName: 'SyntaxCode' })
  code: SyntaxCode;

  /**
   * What was found and what was expected.
   * @example "a CORDRA local name is 32 hexadecimal digits, found 31"
   */
  detail: string;

  /**
   * Where the text broke, in UTF-16 code units of `input`.
   * @example 8
   */
  @ApiProperty({ type: 'integer' })
  offset: number;

  /**
   * The requirement that was not met.
   * @example "CID-10"
   */
  rule: string;
}

/** A text that was understood. */
export class ValidItemDto {
  /**
   * As it was sent.
   * @example "hdl:100.102/f58fb49eb1f848f0a606e84cef294be5"
   */
  input: string;
  /** The kind that was asked for or recognised. */
  @ApiProperty({ enum: KINDS, enumName: 'Kind', example: 'hdl-uri' }) kind: Kind;
  /** Tells it from a text that is malformed. */
  @ApiProperty({ enum: [true] }) valid: true;
  /**
   * The canonical text in the same form.
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  normalized: string;
  /** What it is made of; which members there are depends on the kind. */
  parts: PartsDto;
  /** The same name in the other forms. */
  uris: UrisDto;
  /** For every null in `uris`, the rule that forbids that form. */
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' }, example: { fedoraUri: 'FED-12' } })
  unavailable: Record<string, string>;
  /** Whether it names the same thing as `context.equalTo`; only when that was sent. */
  equal?: boolean;
  /** What was changed to reach the canonical form. */
  @ApiProperty({ enum: REPAIR_CODES, enumName: 'RepairCode', isArray: true, example: ['GUID_UPPERCASED'] })
  repairs: RepairCode[];
}

/** A text that was refused. */
export class InvalidItemDto {
  /**
   * As it was sent.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE"
   */
  input: string;
  /** The kind that was asked for, or the one it came closest to, or null. */
  @ApiProperty({ enum: KINDS, nullable: true, example: 'cordra' }) kind: Kind | null;
  /** Tells it from a text that is well formed. */
  @ApiProperty({ enum: [false] }) valid: false;
  /** What broke, where, and by which rule. */
  error: SyntaxErrorDto;
}

/** An answer for each text, in the order they were sent. */
@ApiExtraModels(ValidItemDto, InvalidItemDto)
export class NormalizeAnswerDto {
  /** An answer for each text, in order. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(ValidItemDto) }, { $ref: getSchemaPath(InvalidItemDto) }] },
  })
  items: (ValidItemDto | InvalidItemDto)[];
}
