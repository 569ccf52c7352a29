/**
 * Every URI form of a name. A form that cannot express the name is null, with the rule that forbids it; there are no
 * approximations.
 *
 * cordraPath   hdl:NA/local          path encoding (URI-15)       not with an empty local name
 * cordraHost   hdl://NA/local        host encoding (URI-07)       nor with an IPv4 address as naming authority
 * resolver     resolver NA/local     (URI-29)                     not with an empty local name, "." or ".."
 * handleUri    hdl:NA/local          Handle URI scheme (HUS-04)   every Handle
 * infoHdl      info:hdl/NA/local     (HUS-01)                     every Handle
 * fedoraUri    info:fedora/...       (FED-12, FED-14)             Fedora names only
 *
 * In the hdl and http forms, the query and fragment of a CORDRA identifier are those of the URI; in the info form, they are
 * escaped.
 */
import { HUS_LOCAL_NAME, PATH, PCHAR, REG_NAME } from './grammar/ascii.js';
import { formatCordraId } from './forms/cordra-id.js';
import { formatUuidHyphenated } from './forms/uuid.js';
import { formatFedoraDissemination } from './forms/fedora-dissemination.js';
import { formatFedoraUri } from './forms/fedora-uri.js';
import { formatUHandle, hasColonOrAt } from './forms/handle-uri-scheme.js';
import { isDotSegment } from './forms/http-uri.js';
import { formatInfoName } from './forms/info-hdl.js';
import { isIPv4Address } from './grammar/ip-address.js';
import type { CordraId, Handle, Name } from './types.js';
import { encode } from './grammar/percent-encoding.js';
import { checkOptions } from './options.js';
import type { Resolver } from './resolver.js';

/** The URI forms of a name; null for a form that cannot express it. */
export interface Uris {
  readonly cordraPath: string | null;
  readonly cordraHost: string | null;
  readonly resolver: string | null;
  readonly handleUri: string | null;
  readonly infoHdl: string | null;
  readonly fedoraUri: string | null;
}

/** The number of the rule that forbids each form that is null. */
export type Unavailable = Readonly<Partial<Record<keyof Uris, string>>>;

export interface UrisOptions {
  /** The resolver of the HTTP URI. Default: none, and the form `resolver` is null. */
  readonly resolver?: Resolver | null | undefined;
}

/** Every URI form of a name. @throws TypeError for an invalid resolver. */
export function urisOf(name: Name, options: UrisOptions = {}): Uris {
  checkOptions(options);
  const { resolver = null } = options;
  switch (name.type) {
    case 'cordra':
      return cordraUris(name, resolver);
    case 'handle':
      return handleUris(name, resolver);
    case 'fedora-pid':
    case 'fedora-dissemination':
      return { ...NO_URIS, fedoraUri: canonicalUri(name) };
    case 'uuid':
      return NO_URIS;
  }
}

/** The rules that forbid the forms for which `urisOf` returns null. @throws TypeError for an invalid resolver. */
export function unavailableUris(name: Name, options: UrisOptions = {}): Unavailable {
  checkOptions(options);
  const { resolver = null } = options;
  if (name.type !== 'cordra' && name.type !== 'handle') {
    const none = {
      cordraPath: 'URI-02',
      cordraHost: 'URI-02',
      resolver: 'URI-27',
      handleUri: 'HUS-06',
      infoHdl: 'HUS-01',
    };
    return name.type === 'uuid' ? { ...none, fedoraUri: 'FED-12' } : none;
  }
  const localName = name.type === 'cordra' ? name.guid : name.localName;
  const inPath = localName === '' ? 'R-11' : null;
  const inHost = inPath ?? (isIPv4Address(name.namingAuthority) ? 'R-07' : null);
  const atResolver = resolver === null ? 'URI-36' : (inPath ?? (isDotSegment(localName) ? 'R-34' : null));
  const rules: { -readonly [form in keyof Unavailable]: string } = {};
  if (inPath !== null) rules.cordraPath = inPath;
  if (inHost !== null) rules.cordraHost = inHost;
  if (atResolver !== null) rules.resolver = atResolver;
  rules.fedoraUri = 'FED-12';
  return rules;
}

/**
 * The URI that is stored for a name: `hdl:` with the escapes of the Handle URI scheme for Handles and CORDRA
 * identifiers, `info:fedora/` for Fedora names, `urn:uuid:` for UUIDs. Every name has one, and `recognize` returns the
 * same name for it, without repairs unless it is a UUID, whose canonical text has no scheme (UUID-05).
 */
export function canonicalUri(name: Name): string {
  switch (name.type) {
    case 'cordra':
      return `hdl:${formatCordraId(name)}`;
    case 'handle':
      return `hdl:${formatUHandle(name.namingAuthority, name.localName)}`;
    case 'fedora-pid':
      return formatFedoraUri(name);
    case 'fedora-dissemination':
      return formatFedoraDissemination(name);
    case 'uuid':
      return `urn:uuid:${formatUuidHyphenated(name)}`;
  }
}

const NO_URIS: Uris = /* @__PURE__ */ Object.freeze({
  cordraPath: null,
  cordraHost: null,
  resolver: null,
  handleUri: null,
  infoHdl: null,
  fedoraUri: null,
});

function cordraUris(id: CordraId, resolver: Resolver | null): Uris {
  const native = formatCordraId(id);
  const plain = id.query === null && id.fragment === null;
  return {
    cordraPath: `hdl:${native}`,
    cordraHost: isIPv4Address(id.namingAuthority) ? null : `hdl://${native}`,
    resolver: resolver === null ? null : resolver.prefix + native,
    handleUri: `hdl:${native}`,
    infoHdl: plain ? `info:hdl/${native}` : formatInfoName(id),
    fedoraUri: null,
  };
}

/** A part is encoded again only if it has a "/", ":" or "@", which not all forms escape; most names have one encoding for all forms. */
function handleUris({ namingAuthority, localName }: Handle, resolver: Resolver | null): Uris {
  const authority = encode(namingAuthority, PCHAR);
  const hostAuthority = hasColonOrAt(namingAuthority) ? encode(namingAuthority, REG_NAME) : authority;
  const segment = encode(localName, PCHAR);
  const path = localName.includes('/') ? encode(localName, PATH) : segment;
  const schemePath = hasColonOrAt(localName) ? encode(localName, HUS_LOCAL_NAME) : path;
  const segments = localName === '' ? null : `${authority}/${segment}`;
  const host = segments !== null && !isIPv4Address(namingAuthority);
  return {
    cordraPath: segments === null ? null : `hdl:${segments}`,
    cordraHost: host ? `hdl://${hostAuthority}/${segment}` : null,
    resolver: segments === null || resolver === null || isDotSegment(localName) ? null : resolver.prefix + segments,
    handleUri: `hdl:${hostAuthority}/${schemePath}`,
    infoHdl: `info:hdl/${authority}/${path}`,
    fedoraUri: null,
  };
}
