import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { KINDS, type Kind } from '../identifier/index.js';
import { Nested } from '../http/dto-rules.js';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';

/** Most items of one request. */
const MAX_ITEMS = 10_000;

const PROFILES = ['cordra', 'generic', 'handle-scheme'] as const;
const HDL_AUTHORITIES = ['naming-authority', 'server'] as const;
const CHARSETS = ['ucs2', 'unicode'] as const;

/** An HTTP resolver of Handles (URI-36). */
export class ResolverDto {
  /** `http` or `https`, in any case. */
  @ApiProperty({ example: 'http' })
  @IsString()
  scheme: string;

  /**
   * Host, and a port where it is not the scheme's own.
   * @example "hdl.handle.net"
   */
  @IsString()
  authority: string;

  /** The path segment that says that a Handle follows (URI-32); null or absent where the resolver has none. */
  @ApiProperty({ type: String, nullable: true, required: false, example: null })
  @IsOptional()
  @IsString()
  firstSegment?: string | null;
}

/** How a text is judged; every field has a default. */
export class ContextDto {
  /**
   * For `hdl-uri`, `http-uri` and `info-hdl`: a CORDRA identifier (`cordra`), any Handle (`generic`), or, for hdl URIs, the
   * Handle URI scheme (`handle-scheme`).
   */
  @ApiProperty({ enum: PROFILES, required: false })
  @MayBeAbsent()
  @IsIn(PROFILES)
  profile?: (typeof PROFILES)[number];

  /** What follows `hdl://` in the profile `handle-scheme`. */
  @ApiProperty({ enum: HDL_AUTHORITIES, default: 'naming-authority', required: false })
  @MayBeAbsent()
  @IsIn(HDL_AUTHORITIES)
  hdlAuthority?: (typeof HDL_AUTHORITIES)[number];

  /** Which characters a Handle may have. */
  @ApiProperty({ enum: CHARSETS, default: 'ucs2', required: false })
  @MayBeAbsent()
  @IsIn(CHARSETS)
  charset?: (typeof CHARSETS)[number];

  /** Whether local names are compared without the case of ASCII letters (HS-05). */
  @ApiProperty({ default: false, required: false })
  @MayBeAbsent()
  @IsBoolean()
  caseInsensitive?: boolean;

  /** The resolver of HTTP URIs; by default the service's own. */
  @MayBeAbsent()
  @IsObject()
  @Nested(() => ResolverDto)
  resolver?: ResolverDto;

  /** A second text of the same kind; the answer's `equal` says whether both name the same thing. */
  @ApiProperty({ required: false, example: 'HDL://100.102/f58fb49eb1f848f0a606e84cef294be5' })
  @MayBeAbsent()
  @IsString()
  equalTo?: string;
}

/** One text to normalize. */
export class NormalizeItemDto {
  /**
   * The text, judged exactly as it stands when `kind` is given.
   * @example "hdl:100.102/f58fb49eb1f848f0a606e84cef294be5"
   */
  @IsString()
  input: string;

  /** The form it must have; without it the form is recognised. */
  @ApiProperty({ enum: KINDS, enumName: 'Kind', required: false })
  @MayBeAbsent()
  @IsIn(KINDS)
  kind?: Kind;

  /** By what it is judged where its kind alone does not decide. */
  @MayBeAbsent()
  @IsObject()
  @Nested(() => ContextDto)
  context?: ContextDto;
}

/** Texts to normalize, of mixed kinds. */
export class NormalizeRequestDto {
  /** The texts; each is judged for itself. */
  @ApiProperty({ type: [NormalizeItemDto], minItems: 1, maxItems: MAX_ITEMS })
  @Nested(() => NormalizeItemDto, { each: true })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  items: NormalizeItemDto[];
}
