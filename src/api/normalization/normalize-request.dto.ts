import { ArrayMaxSize, ArrayMinSize, IsArray, IsObject, IsString, MaxLength } from 'class-validator';
import { NullIsAbsent, Optional } from '../../http/validation/member-decorators.js';
import { KINDS, type Kind } from '@mintmark/identifier';
import { Nested } from '../../http/validation/fast-rules.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { ResolverDto } from '../representation/resolver.dto.js';
import { OptionalBoolean, OptionalChoice, OptionalText } from '../../http/validation/described-members.js';

const MAX_ITEMS = 10_000;

/** Several times the length of an identifier in any form. */
const MAX_TEXT_LENGTH = 32_768;

const SYNTAXES = ['cordra', 'generic', 'handle-scheme'] as const;
const HDL_AUTHORITIES = ['naming-authority', 'server'] as const;
const CHARSETS = ['ucs2', 'unicode'] as const;

/** The rules for a text; every member has a default. */
@NullIsAbsent()
export class ContextDto {
  /**
   * The syntax of URIs and of texts without a kind: a CORDRA identifier (`cordra`), any Handle (`generic`), or, for hdl URIs, the
   * Handle URI scheme (`handle-scheme`). By default, the profile of the naming authority decides; under an unknown naming authority,
   * 32 hexadecimal digits are a CORDRA identifier (CID-14).
   */
  @OptionalChoice(SYNTAXES)
  syntax?: (typeof SYNTAXES)[number];

  /** The meaning of the authority in `hdl://` under the syntax `handle-scheme`. */
  @OptionalChoice(HDL_AUTHORITIES, { default: 'naming-authority' })
  hdlAuthority?: (typeof HDL_AUTHORITIES)[number];

  /** The characters that a Handle may contain. */
  @OptionalChoice(CHARSETS, { default: 'ucs2' })
  charset?: (typeof CHARSETS)[number];

  /**
   * Whether local names are compared without regard to the case of ASCII letters (HS-05). The default is the setting of the naming
   * authority, or `false` if the naming authority is unknown. The registry differs: it compares metadata IDs that are DOIs of an unknown
   * naming authority without regard to case.
   */
  @ApiProperty({ required: false })
  @OptionalBoolean()
  caseInsensitive?: boolean;

  /**
   * The only resolver whose HTTP URIs are accepted, and the resolver of `uris`. By default, `input` can be a URI of any known resolver, and
   * `uris` has the resolver of the naming authority or, if it has none, of the service.
   */
  @Optional()
  @IsObject()
  @Nested(() => ResolverDto)
  resolver?: ResolverDto;

  /** A second text of the same kind. `equal` in the response shows whether both texts denote the same thing. */
  @ApiProperty({ required: false, example: 'HDL://100.102/f58fb49eb1f848f0a606e84cef294be5' })
  @MaxLength(MAX_TEXT_LENGTH)
  @OptionalText()
  equalTo?: string;
}

/** One text to normalize. */
@NullIsAbsent()
export class NormalizeItemDto {
  /** The text. With `kind`, it is parsed strictly. */
  @MaxLength(MAX_TEXT_LENGTH)
  @IsString()
  input: string;

  /** The required form. If absent, the form is recognized. */
  @OptionalChoice(KINDS, { enumName: 'IdentifierKind' })
  kind?: Kind;

  /** The rules that the kind does not determine. */
  @Optional()
  @IsObject()
  @Nested(() => ContextDto)
  context?: ContextDto;
}

/** Texts to normalize, of mixed kinds. */
export class NormalizeRequestDto {
  /** The texts; each has its own result. */
  @ApiProperty({ type: [NormalizeItemDto], minItems: 1, maxItems: MAX_ITEMS })
  @Nested(() => NormalizeItemDto, { each: true })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  items: NormalizeItemDto[];
}
