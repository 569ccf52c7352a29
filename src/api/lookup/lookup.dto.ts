import { ArrayMaxSize, ArrayMinSize, IsArray, IsString, MaxLength } from 'class-validator';
import { MISS_REASONS, type MissReason } from '../../finding/miss.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { ProblemDocumentDto } from '../../problem/problem-document.dto.js';
import { MATCHED_BY, MAX_CANDIDATES, type MatchedBy } from '../../storage/identifiers/identifier-search.js';
import { IdentifierDto } from '../representation/identifier.dto.js';
import { MAX_NOTATION_LENGTH } from '../../registry/canonical-name.js';
import type { Linkset } from '../../registry/typed-links.js';

const MAX_ITEMS = 1000;

const OUTCOMES = ['found', 'ambiguous', 'missing', 'malformed'] as const;

/** Texts that may denote registered identifiers. */
export class LookupRequestDto {
  /**
   * Identifiers, metadata IDs, alternate identifiers, GUIDs and targets, mixed and in any form. A target must match exactly, and so must a
   * metadata ID of a naming authority with the `metadataIdScheme` "any".
   */
  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: MAX_ITEMS,
    example: ['hdl:100.102/f58fb49eb1f848f0a606e84cef294be5', 'demo:7', 'no such thing'],
  })
  @MaxLength(MAX_NOTATION_LENGTH, { each: true })
  @IsString({ each: true })
  @ArrayMaxSize(MAX_ITEMS)
  @ArrayMinSize(1)
  @IsArray()
  items: string[];
}

/** The probable error in a name that has a prefix of this registry, but is not registered. */
export class LookupHintDto {
  /**
   * The probable error, as a sentence for readers.
   * @example "One digit is missing: a local name under 100.102 has 32 of the digits 0-9 and A-F, and this one has 31."
   */
  detail: string;

  /**
   * The offset of the error in `input`, in UTF-16 code units; absent if it is unknown.
   * @example 39
   */
  @ApiProperty({ type: 'integer', required: false })
  offset?: number;

  /**
   * The active identifier, as `NA/local`, that differs from the name by one character, or that begins with the digits of a truncated
   * name. Absent if there is none, for all but the first 20 hints of a response, and while too many clients request hints.
   * @example "100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  nearest?: string;
}

/** The result for one text. */
export class LookupResultDto {
  /** The text as the client sent it. */
  input: string;

  /**
   * "ambiguous": several identifiers match equally well; "missing": the text is well formed but not registered, or it
   * is a URL that is not a registered target, or it could be the metadata ID of a naming authority with the `metadataIdScheme` "any".
   */
  @ApiProperty({ enum: OUTCOMES })
  outcome: (typeof OUTCOMES)[number];

  /** How the text matches; null if nothing matches. A bare GUID matches as `identifier`. */
  @ApiProperty({ enum: MATCHED_BY, nullable: true, type: String, example: 'identifier' })
  matchedBy: MatchedBy | null;

  /**
   * The identifier that matches, as `NA/local`. If several identifiers have the same metadata ID or alternate, the first one that was
   * minted. Absent if a bare GUID or a target is ambiguous.
   */
  identifier?: string;

  /** The representation of the identifier that matches. */
  @ApiProperty({ type: () => IdentifierDto, required: false })
  record?: IdentifierDto;

  /**
   * The other identifiers that match the text as an identifier, a metadata ID or an alternate identifier, as `NA/local`.
   * @example []
   */
  @ApiProperty({ type: [String], required: false })
  others?: string[];

  /** The identifiers that match equally well, as `NA/local`, in order of minting; present if the outcome is "ambiguous". */
  @ApiProperty({ type: [String], required: false, minItems: 2, maxItems: MAX_CANDIDATES })
  candidates?: string[];

  /**
   * The canonical form of a well-formed text, such as `urn:uuid:…` for a bare GUID; absent if the text matched as a target.
   * To refer to the identifier, use `identifier` instead.
   * @example "hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5"
   */
  canonical?: string;

  /**
   * Why nothing matches. "foreign-prefix": a Handle under a prefix that this registry does not have or the client cannot see. "unknown":
   * a name or a URL that is not registered. "not-a-name": neither a name nor a URL. Absent if something matches.
   */
  @ApiProperty({ enum: MISS_REASONS, required: false })
  reason?: MissReason;

  /** The probable error in a name under a prefix of this registry; absent for all other texts. */
  @ApiProperty({ type: () => LookupHintDto, required: false })
  hint?: LookupHintDto;

  /** Why a malformed text is not an identifier. */
  @ApiProperty({ type: () => ProblemDocumentDto, required: false })
  problem?: ProblemDocumentDto;
}

/** One result for each text. */
export class LookupResponseDto {
  /** One result for each text, in the order of the request. */
  items: LookupResultDto[];
}

/** The identifiers that have the GUID of the request. */
export class ChoicesDto {
  /** The first ten identifiers in order of minting, as `NA/local`. */
  candidates: string[];
}

/** The typed links of an identifier (RFC 9264 4.2): a member for each relation, such as `cite-as`. */
export class LinksetDto implements Linkset {
  /**
   * One link context: `anchor` is the URL of the representation, and each other member is a relation with a list of targets, which have
   * `href` and may have `type`.
   */
  @ApiProperty({
    type: 'array',
    items: {
      type: 'object',
      properties: { anchor: { type: 'string' } },
      required: ['anchor'],
      // A schema of the relations would become an index signature in TypeScript, with which `anchor` is not compatible.
      additionalProperties: true,
    },
    example: [
      {
        anchor: 'https://id.example.org/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5',
        'cite-as': [{ href: 'http://hdl.handle.net/100.102/F58FB49EB1F848F0A606E84CEF294BE5' }],
        type: [{ href: 'https://schema.org/AboutPage' }],
      },
    ],
  })
  linkset: Linkset['linkset'];
}
