import { IsString, MaxLength } from 'class-validator';
import { OptionalOrNull } from '../../http/validation/member-decorators.js';
import { ApiProperty } from '../../openapi/annotations.js';

/** An HTTP resolver of Handles (URI-36). */
export class ResolverDto {
  /** `http` or `https`; case-insensitive in a request. */
  @ApiProperty({ example: 'https' })
  @MaxLength(5)
  @IsString()
  scheme: string;

  /**
   * The host, and the port where it is not the default port of the scheme.
   * @example "resolve.example.org"
   */
  @MaxLength(255)
  @IsString()
  authority: string;

  /** The path segment before the Handle (URI-32); null where the resolver has none. A request may omit it. */
  @ApiProperty({ type: String, nullable: true, required: false, maxLength: 255, example: null })
  @OptionalOrNull()
  @MaxLength(255)
  @IsString()
  firstSegment?: string | null;
}
