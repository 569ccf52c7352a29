import { KINDS, type Kind, REPAIR_CODES, type RepairCode, SYNTAX_CODES, type SyntaxCode } from '@mintmark/identifier';
import { ApiExtraModels, ApiProperty, getSchemaPath } from '../../openapi/annotations.js';
import { UrisDto } from '../representation/identifier.dto.js';

const OMITTED = { enum: ['query', 'fragment'], isArray: true, required: false };

const NULLABLE_TEXT = { type: String, nullable: true, required: false } as const;

/** The components of a valid text. Only the members that apply to its kind are present. */
export class IdentifierPartsDto {
  /** Native text of the CORDRA identifier in a URI. */
  identifier?: string;
  /** Native text of the Handle in a URI. */
  handle?: string;
  /** The Handle prefix. */
  namingAuthority?: string;
  /** The 32 upper-case hexadecimal digits of the GUID (CID-14). */
  guid?: string;
  /** The text after the first "/"; decoded, except in a CORDRA identifier. */
  localName?: string;
  /** The query without "?"; "" if empty, null if absent. */
  @ApiProperty(NULLABLE_TEXT) query?: string | null;
  /** The fragment without "#"; "" if empty, null if absent. */
  @ApiProperty(NULLABLE_TEXT) fragment?: string | null;
  /** The form of an hdl URI. */
  @ApiProperty({ enum: ['path', 'host', 'name', 'authority', 'server'], required: false }) form?: string;
  /** The server of an hdl URI in the form `server`: host and port. */
  @ApiProperty(NULLABLE_TEXT) server?: string | null;
  /** The namespace of a Fedora PID (FED-03). */
  namespaceId?: string;
  /** The object identifier of a Fedora PID, with its escapes. */
  objectId?: string;
  /** The PID in a Fedora URI. */
  pid?: string;
  /** The kind of object that a dissemination URI denotes. */
  @ApiProperty({ enum: ['datastream', 'method-call'], required: false }) type?: string;
  /** The decoded ID of the datastream (FED-10). */
  datastreamId?: string;
  /** The PID of the service definition (FED-15). */
  sDefPid?: string;
  /** The decoded name of the method (FED-15). */
  methodName?: string;
  /** The decoded names and values of the parameters, in canonical order (FED-21). */
  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 2 },
    required: false,
  })
  params?: [string, string][];
  /** The UUID in lower case, with hyphens between groups of 8, 4, 4, 4 and 12 digits (UUID-01). */
  hyphenated?: string;
  /** The version of a UUID of the RFC variant, else null (UUID-02). */
  @ApiProperty({ type: 'integer', nullable: true, required: false }) version?: number | null;
  /** The variant of the UUID (UUID-03). */
  @ApiProperty({ enum: ['ncs', 'rfc4122', 'microsoft', 'future'], required: false }) variant?: string;
  /** Whether the UUID has the variant and a version of the DCE algorithm (UUID-04). */
  dce?: boolean;
}

/** A syntax error. */
export class SyntaxErrorDto {
  /** The code. Later versions can add codes. */
  @ApiProperty({ enum: SYNTAX_CODES, enumName: 'SyntaxCode' })
  code: SyntaxCode;

  /**
   * What was found and what was expected.
   * @example "a CORDRA local name is 32 hexadecimal digits, found 31"
   */
  detail: string;

  /** The position of the fault, in UTF-16 code units of `input`. */
  @ApiProperty({ type: 'integer' })
  offset: number;

  /** The number of the violated rule. */
  rule: string;
}

/** A valid text. */
export class ValidItemDto {
  /** The text as the client sent it. */
  input: string;
  /** The requested or recognized kind. */
  @ApiProperty({ enum: KINDS, enumName: 'IdentifierKind', example: 'hdl-uri' }) kind: Kind;
  /** Always true. */
  @ApiProperty({ enum: [true] }) valid: true;
  /**
   * The canonical text in the same form. Without a requested kind, `hdl:NA/local` of a Handle is written as `handleUri` in `uris`, which
   * can have other escapes than `cordraPath`.
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  normalized: string;
  /** The components; their members depend on the kind. */
  parts: IdentifierPartsDto;
  /** The same identifier in the other forms. */
  uris: UrisDto;
  /** For every null in `uris`, the rule that excludes the form. */
  @ApiProperty({ type: Object, additionalProperties: { type: 'string' }, example: { fedoraUri: 'FED-12' } })
  unavailable: Record<string, string>;
  /** The components of the URI that `uris` omits, because they are not part of a Handle; absent if there are none. */
  @ApiProperty(OMITTED) omitted?: ('query' | 'fragment')[];
  /** Whether the text denotes the same thing as `context.equalTo`; present only with `equalTo`. */
  equal?: boolean;
  /** The changes that normalization made. */
  @ApiProperty({ enum: REPAIR_CODES, enumName: 'RepairCode', isArray: true, example: ['GUID_UPPERCASED'] })
  repairs: RepairCode[];
}

/** A malformed text. */
export class InvalidItemDto {
  /**
   * The text as the client sent it.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE"
   */
  input: string;
  /** The requested kind, the most similar kind, or null. */
  @ApiProperty({ enum: KINDS, enumName: 'IdentifierKind', nullable: true, example: 'cordra' }) kind: Kind | null;
  /** Always false. */
  @ApiProperty({ enum: [false] }) valid: false;
  /** The fault, its position and the violated rule. */
  error: SyntaxErrorDto;
}

/** The URI forms of an identifier that a request names. */
export class RenderedUrisDto extends UrisDto {
  /** The components of the requested URI that these URIs omit, because they are not part of a Handle; absent if there are none. */
  @ApiProperty(OMITTED) omitted?: ('query' | 'fragment')[];
}

/** One result for each text. */
@ApiExtraModels(ValidItemDto, InvalidItemDto)
export class NormalizeResponseDto {
  /** One result for each text, in the order of the request. */
  @ApiProperty({
    type: 'array',
    items: { oneOf: [{ $ref: getSchemaPath(ValidItemDto) }, { $ref: getSchemaPath(InvalidItemDto) }] },
  })
  items: (ValidItemDto | InvalidItemDto)[];
}
