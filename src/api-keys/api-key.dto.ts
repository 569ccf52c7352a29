import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsBoolean,
  IsIn,
  IsNotIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { SCOPES, type Scope } from '../access/scope.js';
import { Nested } from '../http/dto-rules.js';
import { MayBeAbsent } from '../http/may-be-absent.js';
import { ApiProperty } from '../openapi/annotations.js';
import { MAX_PREFIX_OCTETS } from '../record/naming-authority.js';
import { IsTime } from '../record/time.js';

/** Most naming authorities that one key names. */
const MAX_GRANTS = 1000;

/** Clients that the history knows without a key: a key of their name would be taken for them. */
const RESERVED_CLIENTS = ['admin', 'anonymous', 'service'];

/** A naming authority that a key may touch. */
export class GrantDto {
  /**
   * The Handle prefix.
   * @example "100.102"
   */
  @MaxLength(MAX_PREFIX_OCTETS)
  @IsString()
  namingAuthority: string;

  /** Whether the naming authorities derived from it are meant too: `100.102.7` below `100.102`. */
  @ApiProperty({ default: false, required: false })
  @MayBeAbsent()
  @IsBoolean()
  derived?: boolean;
}

/** A key to create. */
export class ApiKeyRequestDto {
  /**
   * Who will use it. Idempotency keys and the history know a client by this name, whichever of its keys it uses.
   * @example "university-repository"
   */
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, { message: 'client must be letters, digits and . _ @ - without spaces' })
  @IsNotIn(RESERVED_CLIENTS, { message: 'client must not be a name that the service gives itself' })
  @MaxLength(100)
  @IsString()
  client: string;

  /**
   * What the client calls the key, such as where it is used.
   * @example "ingest server, 2026"
   */
  @MayBeAbsent()
  @Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: 'label must not hold control characters' })
  @MaxLength(200)
  @MinLength(1)
  @IsString()
  label?: string;

  /** What it may do; `admin` includes all others. */
  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, minItems: 1, example: ['read', 'mint'] })
  @IsIn(SCOPES, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SCOPES.length)
  @ArrayMinSize(1)
  @IsArray()
  scopes: Scope[];

  /** Which naming authorities it may touch; all of them when this is absent. */
  @ApiProperty({ type: [GrantDto], minItems: 1, maxItems: MAX_GRANTS, required: false })
  @MayBeAbsent()
  @Nested(() => GrantDto, { each: true })
  @IsObject({ each: true })
  @ArrayMaxSize(MAX_GRANTS)
  @ArrayMinSize(1)
  @IsArray()
  namingAuthorities?: GrantDto[];

  /** When it ends by itself (RFC 3339); never when this is absent. */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2126-11-20T00:00:00Z' })
  @MayBeAbsent()
  @IsTime()
  expiresAt?: string;
}

/** A key, without its secret. */
export class ApiKeyDto {
  /**
   * Names the key, in the history too; it is no secret.
   * @example "0c9d4bb1-9a52-4d0a-8f7c-0f6f2e1f5a11"
   */
  @ApiProperty({ format: 'uuid' })
  id: string;

  /**
   * Who uses it.
   * @example "university-repository"
   */
  client: string;

  /**
   * What its client calls it.
   * @example "ingest server, 2026"
   */
  label: string | null;

  /** What it may do. */
  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, example: ['read', 'mint'] })
  scopes: Scope[];

  /** Which naming authorities it may touch; null for all. */
  @ApiProperty({ type: [GrantDto], nullable: true })
  namingAuthorities: GrantDto[] | null;

  /** When it ends by itself, UTC; null for never. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expiresAt: string | null;

  /** When it was revoked, UTC; null while it was not. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  revokedAt: string | null;

  /** When it was used last, UTC, to the minute; null when it never was. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  lastUsedAt: string | null;

  /** When it was created, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  createdAt: string;

  /**
   * The client that created it.
   * @example "admin"
   */
  createdBy: string;
}

/** A key that was created, with its secret. */
export class CreatedApiKeyDto extends ApiKeyDto {
  /**
   * What to send as `Authorization: Bearer`. It is shown this once, also to whoever repeats the request with its
   * Idempotency-Key: then it is null.
   * @example null
   */
  @ApiProperty({ type: String, nullable: true, example: null })
  secret: string | null;
}

/** One page of keys in order of creation. */
export class ApiKeyPageDto {
  /** The keys, in order of creation. */
  items: ApiKeyDto[];

  /**
   * The `cursor` of the next page; null on the last one.
   * @example null
   */
  next: string | null;
}
