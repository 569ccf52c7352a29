import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  IsIn,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  MinLength,
} from 'class-validator';
import { HasNoControls, NullIsAbsent, Nullable, Optional, IsTime } from '../../http/validation/member-decorators.js';
import { SCOPES, type Scope } from '../../access/principal.js';
import { Nested } from '../../http/validation/fast-rules.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_PREFIX_BYTES } from '../../registry/naming-authority.js';
import { OptionalBoolean, OptionalText } from '../../http/validation/described-members.js';

const MAX_GRANTS = 1000;

/** Matches all client names except, in any case, the names that the history uses for changes without a stored key. */
const RESERVED_CLIENTS = /^(?!(?:admin|anonymous|service)$)/i;

/** A naming authority that a key covers. */
@NullIsAbsent()
export class GrantDto {
  /** The Handle prefix. */
  @MaxLength(MAX_PREFIX_BYTES)
  @IsString()
  namingAuthority: string;

  /** Whether the key also covers the naming authorities derived from it, such as `100.102.7` for `100.102`. */
  @ApiProperty({ default: false, required: false })
  @OptionalBoolean()
  derived?: boolean;
}

/** A key to create. */
@NullIsAbsent()
export class CreateApiKeyDto {
  /** The name of the client. Idempotency keys belong to the client, and the history names the client, whichever API key it uses. */
  @Matches(/^[A-Za-z0-9][A-Za-z0-9._@-]*$/, {
    message: 'client must consist of letters, digits and . _ @ - without spaces',
  })
  @Matches(RESERVED_CLIENTS, { message: 'client must not be a name reserved by the service' })
  @MaxLength(100)
  @IsString()
  client: string;

  /** A label for the key, such as the place where the key is used, without control characters. */
  @HasNoControls()
  @MaxLength(200)
  @MinLength(1)
  @OptionalText()
  label?: string;

  /** The scopes of the key; `admin` includes all other scopes. */
  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, minItems: 1, example: ['read', 'mint'] })
  @IsIn(SCOPES, { each: true })
  @ArrayUnique()
  @ArrayMaxSize(SCOPES.length)
  @ArrayMinSize(1)
  @IsArray()
  scopes: Scope[];

  /**
   * The naming authorities that the key covers; null for all of them, including later ones. A key can be created before its naming
   * authorities. The scope `metrics` permits nothing if the key is restricted to some naming authorities.
   */
  @ApiProperty({ type: [GrantDto], minItems: 1, maxItems: MAX_GRANTS, nullable: true })
  @Nullable()
  @Nested(() => GrantDto, { each: true })
  @IsObject({ each: true, message: 'each value in $property must be an object, such as {"namingAuthority":"100.102"}' })
  @ArrayMaxSize(MAX_GRANTS)
  @ArrayMinSize(1, { message: '$property must have at least 1 naming authority; null means all of them' })
  @IsArray({ message: 'namingAuthorities is required: a list of naming authorities, or null for all of them' })
  namingAuthorities: GrantDto[] | null;

  /** The time at which the key expires (RFC 3339), in the future. If absent, the key never expires. */
  @ApiProperty({ type: String, format: 'date-time', required: false, example: '2126-11-20T00:00:00Z' })
  @Optional()
  @IsTime()
  expiresAt?: string;

  /**
   * The user as which a Handle client authenticates with this key, under `/api` and `/hrls`: the index of a key value, ":" and a Handle
   * under a naming authority that the key covers, with a local name of at most 255 bytes that is not a GUID. The default index is 300. The
   * Handle is not registered as an identifier, but stays assigned to the client permanently; other keys of the client may also have it.
   * @example "300:100.102/ADMIN"
   */
  @MaxLength(600)
  @MinLength(1)
  @OptionalText()
  handleUser?: string;
}

/** The client and the rights of a key. */
export class KeyRightsDto {
  /** The name of the client. */
  client: string;

  /** The label of the key; null for none. */
  label: string | null;

  /** The scopes of the key. */
  @ApiProperty({ enum: SCOPES, enumName: 'Scope', isArray: true, example: ['read', 'mint'] })
  scopes: Scope[];

  /** The naming authorities that the key covers; null for all. */
  @ApiProperty({ type: [GrantDto], nullable: true })
  namingAuthorities: GrantDto[] | null;

  /** The time at which the key expires, UTC; null for never. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  expiresAt: string | null;

  /** The user as which a Handle client authenticates with this key, as `index:handle`; null for none. */
  @ApiProperty({ type: String, nullable: true, example: null })
  handleUser: string | null;
}

/** A key, without its secret. */
export class ApiKeyDto extends KeyRightsDto {
  /**
   * The ID of the key. It is not secret, and the history contains it.
   * @example "0c9d4bb1-9a52-4d0a-8f7c-0f6f2e1f5a11"
   */
  @ApiProperty({ format: 'uuid' })
  id: string;

  /** The time at which the key was revoked, UTC; null if it was not revoked. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  revokedAt: string | null;

  /** The time of the last use, UTC, accurate to the minute; null if the key was never used. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  lastUsedAt: string | null;

  /** The time of creation, UTC. */
  @ApiProperty({ type: String, format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  createdAt: string;

  /**
   * The client that created the key.
   * @example "admin"
   */
  createdBy: string;

  /**
   * Whether the key was created under `ACCESS=open`, without authentication. Under `ACCESS=keys`, such a key is rejected until an
   * administrator confirms it.
   */
  openAccess: boolean;

  /** The time at which an administrator confirmed the key, UTC; null if it was not confirmed. */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: null })
  confirmedAt: string | null;

  /** The client of the administrator who confirmed the key; null if it was not confirmed. */
  @ApiProperty({ type: String, nullable: true, example: null })
  confirmedBy: string | null;
}

/** The key of a request. */
export class OwnApiKeyDto extends KeyRightsDto {
  /** The ID of the key; null for the administrator's key (`ADMIN_API_KEY`). */
  @ApiProperty({ type: String, format: 'uuid', nullable: true, example: '0c9d4bb1-9a52-4d0a-8f7c-0f6f2e1f5a11' })
  id: string | null;

  /** The time of creation, UTC; null for the administrator's key (`ADMIN_API_KEY`). */
  @ApiProperty({ type: String, format: 'date-time', nullable: true, example: '2026-11-20T09:30:00.000Z' })
  createdAt: string | null;
}

/** A created key, with its secret. */
export class CreatedApiKeyDto extends ApiKeyDto {
  /** The secret to send as `Authorization: Bearer`. Only the first response contains it; a replay has null. */
  @ApiProperty({ type: String, nullable: true, example: null })
  secret: string | null;
}

/** One page of API keys. */
export class ApiKeyPageDto {
  /** The keys, in order of creation. */
  items: ApiKeyDto[];

  /** The `cursor` of the next page; null on the last page. */
  next: string | null;
}
