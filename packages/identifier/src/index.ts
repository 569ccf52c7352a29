/**
 * Identifier syntax: CORDRA identifiers, Handles, their URI forms, Fedora PIDs and URIs, UUIDs.
 *
 * The package uses no framework, database, clock or environment, and imports nothing from outside this folder. Every parser
 * runs in linear time, except for the sort of the parameters of a method call (FED-21).
 */
export {
  asHandle,
  type CordraIdParts,
  formatCordraId,
  formatLocalName,
  isCordraId,
  parseCordraId,
  toCordraId,
} from './forms/cordra-id.js';
export {
  type FedoraDisseminationParts,
  formatFedoraDissemination,
  isFedoraDissemination,
  MAX_DATASTREAM_ID_LENGTH,
  parseFedoraDissemination,
  toFedoraDissemination,
} from './forms/fedora-dissemination.js';
export { formatFedoraPid, isFedoraPid, MAX_PID_LENGTH, parseFedoraPid, toFedoraPid } from './forms/fedora-pid.js';
export { formatFedoraUri, isFedoraUri, parseFedoraUri, toFedoraUri } from './forms/fedora-uri.js';
export { formatHandle, type HandleOptions, isHandle, parseHandle, toHandle } from './forms/handle.js';
export { formatHdlUri, type HdlUriOptions, isHdlUri, parseHdlUri, toHdlUri } from './forms/hdl-uri.js';
export { formatHttpUri, type HttpUriOptions, isHttpUri, parseHttpUri, toHttpUri } from './forms/http-uri.js';
export { formatInfoHdl, type InfoHdlOptions, isInfoHdl, parseInfoHdl, toInfoHdl } from './forms/info-hdl.js';
export {
  formatUuid,
  formatUuidHyphenated,
  isDce,
  isUuid,
  parseUuid,
  toUuid,
  type UuidVariant,
  uuidVariant,
  uuidVersion,
} from './forms/uuid.js';
export { comparisonKey, type KeyOptions, registryKey, sameName } from './comparison-key.js';
export type {
  CordraId,
  FedoraDatastream,
  FedoraDissemination,
  FedoraMethodCall,
  FedoraParam,
  FedoraPid,
  Handle,
  HdlForm,
  HdlUri,
  HttpUri,
  InfoHdl,
  Name,
  Uuid,
} from './types.js';
export {
  namingAuthorityKey,
  type NamingAuthorityOptions,
  parentNamingAuthority,
  parseNamingAuthority,
} from './forms/naming-authority.js';
export { type Context, normalize, type Normalized, type NotNormalized } from './normalize.js';
export {
  type CordraParts,
  type CordraUriParts,
  type DatastreamParts,
  type FedoraPidParts,
  type FedoraUriParts,
  type HandleParts,
  type HandleUriParts,
  type MethodCallParts,
  type Omitted,
  omittedOf,
  type Parts,
  type UuidParts,
} from './components.js';
export type { Branded } from './brand.js';
export type { Charset } from './grammar/handle-characters.js';
export { type Kind, KINDS, type Reading, type Recognition, type Unrecognized } from './parse-as.js';
export { type KnownNamingAuthority, recognize, type RecognizeOptions } from './recognize.js';
export { WELL_KNOWN_RESOLVERS } from './known-resolvers.js';
export { REPAIR_CODES, type RepairCode, type Repairs } from './repairs.js';
export { DEFAULT_RESOLVER, parseResolver, type Resolver, type ResolverConfig, toResolver } from './resolver.js';
export type { Profile } from './forms/segments.js';
export {
  type Failure,
  IdentifierSyntaxError,
  type Result,
  RULES_VERSION,
  type Success,
  SYNTAX_CODES,
  type SyntaxCode,
  type SyntaxFault,
  unwrap,
} from './syntax-error.js';
export { canonicalUri, type Unavailable, unavailableUris, type Uris, urisOf, type UrisOptions } from './convert.js';
