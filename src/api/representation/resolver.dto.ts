import { IsString, MaxLength } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { NullableText } from '../../http/validation/described-members.js';

/** An HTTP resolver of Handles (URI-36). */
export class ResolverDto {
  /** `http` or `https`; case-insensitive in a request. */
  @ApiProperty({ example: 'https' })
  @MaxLength(5)
  @IsString()
  scheme: string;

  /**
   * The host, and the port if it is not the default port of the scheme.
   * @example "resolve.example.org"
   */
  @MaxLength(255)
  @IsString()
  authority: string;

  /** The path segment before the Handle (URI-32); null if the resolver has none. A request may omit it. */
  @NullableText(255, null)
  firstSegment?: string | null;
}
