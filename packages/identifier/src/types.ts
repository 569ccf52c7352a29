/** The values that parsers return. The brand rejects other objects at compile time, and all values are frozen. */
import type { Branded } from './brand.js';
import type { Resolver } from './resolver.js';

/** A CORDRA identifier (CID-04, CID-10, CID-15, CID-19). */
export interface CordraId extends Branded {
  readonly type: 'cordra';
  /** Segments of ASCII digits joined by ".", leading zeros kept. */
  readonly namingAuthority: string;
  /** 32 upper-case hexadecimal digits. */
  readonly guid: string;
  /** The text after "?": empty for an empty query, null without "?". */
  readonly query: string | null;
  /** The text after "#": empty for an empty fragment, null without "#". */
  readonly fragment: string | null;
}

/** Any Handle (HUS-06): the text before and after its first "/". */
export interface Handle extends Branded {
  readonly type: 'handle';
  readonly namingAuthority: string;
  /** May be empty and may contain "/". */
  readonly localName: string;
}

/** A Fedora PID in normal form (FED-02). Escapes in `objectId` are data, in upper case. */
export interface FedoraPid extends Branded {
  readonly type: 'fedora-pid';
  readonly namespaceId: string;
  readonly objectId: string;
}

/** One parameter of a method call (FED-16). */
export interface FedoraParam {
  /** Decoded, never empty. */
  readonly name: string;
  /** Decoded, may be empty. */
  readonly value: string;
  /** `name=value` as in the URI; a reserved character stays raw or escaped. */
  readonly text: string;
}

/** A datastream of a Fedora object (FED-14). */
export interface FedoraDatastream extends Branded {
  readonly type: 'fedora-dissemination';
  readonly shape: 'datastream';
  readonly pid: FedoraPid;
  /** Decoded. */
  readonly datastreamId: string;
}

/** A method call on a Fedora object (FED-15, FED-16). */
export interface FedoraMethodCall extends Branded {
  readonly type: 'fedora-dissemination';
  readonly shape: 'method-call';
  readonly pid: FedoraPid;
  readonly sDefPid: FedoraPid;
  /** Decoded. */
  readonly methodName: string;
  /** In the order of FED-21. */
  readonly params: readonly FedoraParam[];
}

export type FedoraDissemination = FedoraDatastream | FedoraMethodCall;

/** A UUID (UUID-05): 32 upper-case hexadecimal digits. */
export interface Uuid extends Branded {
  readonly type: 'uuid';
  readonly hex: string;
}

/** What a text denotes, in any form. */
export type Name = CordraId | Handle | FedoraPid | FedoraDissemination | Uuid;

/** The form of an hdl URI: `path` and `host` are terms of CORDRA, the other three of the Handle URI scheme. */
export type HdlForm = 'path' | 'host' | 'name' | 'authority' | 'server';

/** An hdl URI: a name, its form, and the other components of the URI. */
export interface HdlUri extends Branded {
  readonly type: 'hdl-uri';
  readonly name: CordraId | Handle;
  readonly form: HdlForm;
  /** host[:port] in the form `server`, else null. */
  readonly server: string | null;
  /** The query of the URI; for a CORDRA identifier it is the query of the identifier. */
  readonly query: string | null;
  readonly fragment: string | null;
}

/** An http or https URI of a Handle at a resolver. */
export interface HttpUri extends Branded {
  readonly type: 'http-uri';
  readonly name: CordraId | Handle;
  readonly resolver: Resolver;
  /** See `HdlUri`. */
  readonly query: string | null;
  readonly fragment: string | null;
}

/** An `info:hdl/` URI. */
export interface InfoHdl extends Branded {
  readonly type: 'info-hdl';
  readonly name: CordraId | Handle;
  /** The fragment of the URI; null for a CORDRA identifier. */
  readonly fragment: string | null;
}
