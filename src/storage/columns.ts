import type {
  AlternateIdentifier,
  Change,
  Identifier,
  NamingAuthority,
  Prisma,
  Request,
  RequestPart,
} from '../database/generated/client.js';

/** Maps fields of `prisma/schema.prisma` to columns. A test compares them with the database. */
export const COLUMNS = {
  naming_authority: {
    id: 'id',
    prefix: 'prefix',
    state: 'state',
    createdAt: 'created_at',
    profile: 'profile',
    caseInsensitive: 'case_insensitive',
    uuidVersion: 'uuid_version',
    targetTemplate: 'target_template',
    resolverScheme: 'resolver_scheme',
    resolverAuthority: 'resolver_authority',
    resolverFirstSegment: 'resolver_first_segment',
    storesHandleValues: 'stores_handle_values',
    sandbox: 'sandbox',
    metadataIdScheme: 'metadata_id_scheme',
    version: 'version',
    updatedAt: 'updated_at',
  } as const satisfies Record<Prisma.NamingAuthorityScalarFieldEnum, string>,
  identifier: {
    id: 'id',
    namingAuthorityId: 'naming_authority_id',
    guid: 'guid',
    metadataId: 'metadata_id',
    metadataKey: 'metadata_key',
    metadataRecordId: 'metadata_record_id',
    target: 'target',
    language: 'language',
    alternateIds: 'alternate_ids',
    state: 'state',
    version: 'version',
    requestKey: 'request_key',
    requestIndex: 'request_index',
    requestHash: 'request_hash',
    createdAt: 'created_at',
    updatedAt: 'updated_at',
    localName: 'local_name',
    localKey: 'local_key',
    leaseUntil: 'lease_until',
    withdrawnAt: 'withdrawn_at',
    withdrawalReasonCode: 'withdrawal_reason_code',
    withdrawalReason: 'withdrawal_reason',
    replacedBy: 'replaced_by',
    previousVersion: 'previous_version',
    previousVersionKey: 'previous_version_key',
    handleValues: 'handle_values',
    client: 'client',
    reservation: 'reservation',
    position: 'position',
    keyId: 'key_id',
    registered: 'registered',
    isFirstEvent: 'is_first_event',
  } as const satisfies Record<Prisma.IdentifierScalarFieldEnum, string>,
  alternate_identifier: {
    key: 'key',
    namingAuthorityId: 'naming_authority_id',
    identifierId: 'identifier_id',
    claimedAuthorityId: 'claimed_authority_id',
    claimedName: 'claimed_name',
  } as const satisfies Record<Prisma.AlternateIdentifierScalarFieldEnum, string>,
  change: {
    position: 'position',
    id: 'id',
    namingAuthorityId: 'naming_authority_id',
    identifierId: 'identifier_id',
    version: 'version',
    kind: 'kind',
    client: 'client',
    keyId: 'key_id',
    at: 'at',
    patch: 'patch',
  } as const satisfies Record<Prisma.ChangeScalarFieldEnum, string>,
  request: {
    client: 'client',
    key: 'key',
    hash: 'hash',
    outcome: 'outcome',
    createdAt: 'created_at',
  } as const satisfies Record<Prisma.RequestScalarFieldEnum, string>,
  request_part: {
    client: 'client',
    key: 'key',
    firstIndex: 'place',
    indexes: 'places',
    results: 'outcomes',
    createdAt: 'created_at',
  } as const satisfies Record<Prisma.RequestPartScalarFieldEnum, string>,
};

interface Models {
  readonly naming_authority: NamingAuthority;
  readonly identifier: Identifier;
  readonly alternate_identifier: AlternateIdentifier;
  readonly change: Change;
  readonly request: Request;
  readonly request_part: RequestPart;
}

/** A row as `pg` reads it, by column name. */
export type Row<Table extends keyof Models> = {
  readonly [
    Field in keyof Models[Table] & keyof (typeof COLUMNS)[Table] as (typeof COLUMNS)[Table][Field] & string
  ]: Read<Models[Table][Field]>;
};

/** `pg` reads BIGINT as a string and BYTEA as a Buffer. */
type Read<T> = T extends bigint ? string : T extends Uint8Array ? Buffer : T;
