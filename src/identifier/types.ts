/**
 * The things that are named. A value of one of these types was checked by its parser: the brand keeps other objects
 * out at compile time, and every field is read-only.
 *
 * The functions here make values; only parsers call them, and they are not part of the public face.
 */
import type { Branded } from './brand.js';
import type { Resolver } from './resolver.js';

/** A CORDRA identifier (CID-04, CID-10, CID-15, CID-19). */
export type CordraId = Branded<{
  readonly type: 'cordra';
  /** Segments of ASCII digits joined by ".", leading zeros kept. */
  readonly namingAuthority: string;
  /** 32 hexadecimal digits in capitals. */
  readonly guid: string;
  /** The text after "?", "" when empty, null when there is no "?". */
  readonly query: string | null;
  /** The text after "#", "" when empty, null when there is no "#". */
  readonly fragment: string | null;
}>;

/** Any Handle (HUS-06): the text before and after its first "/". */
export type Handle = Branded<{
  readonly type: 'handle';
  readonly namingAuthority: string;
  /** May be empty and may hold "/". */
  readonly localName: string;
}>;

/** A Fedora PID in normal form (FED-02). Escapes in `objectId` are data, in capitals. */
export type FedoraPid = Branded<{
  readonly type: 'fedora-pid';
  readonly namespaceId: string;
  readonly objectId: string;
}>;

/** One parameter of a method call (FED-16). */
export interface FedoraParam {
  /** Decoded, never empty. */
  readonly name: string;
  /** Decoded, may be empty. */
  readonly value: string;
  /** `name=value` as it stands in the URI: a reserved character stays as it was written, raw or escaped. */
  readonly text: string;
}

/** A datastream of a Fedora object (FED-14). */
export type FedoraDatastream = Branded<{
  readonly type: 'fedora-dissemination';
  readonly shape: 'datastream';
  readonly pid: FedoraPid;
  /** Decoded. */
  readonly datastreamId: string;
}>;

/** A method call on a Fedora object (FED-15, FED-16). */
export type FedoraMethodCall = Branded<{
  readonly type: 'fedora-dissemination';
  readonly shape: 'method-call';
  readonly pid: FedoraPid;
  readonly sDefPid: FedoraPid;
  /** Decoded. */
  readonly methodName: string;
  /** In the order of FED-21. */
  readonly params: readonly FedoraParam[];
}>;

export type FedoraDissemination = FedoraDatastream | FedoraMethodCall;

/** A UUID (UUID-05): 32 hexadecimal digits in capitals. */
export type DceUuid = Branded<{
  readonly type: 'uuid';
  readonly hex: string;
}>;

/** The thing that a text names, whatever the form of the text. */
export type Name = CordraId | Handle | FedoraPid | FedoraDissemination | DceUuid;

/** How an hdl URI was written: `path` and `host` are CORDRA's words, the others those of the Handle URI scheme. */
export type HdlForm = 'path' | 'host' | 'name' | 'authority' | 'server';

/** An hdl URI: a name, the form it was written in, and what the URI adds. */
export type HdlUri = Branded<{
  readonly type: 'hdl-uri';
  readonly name: CordraId | Handle;
  readonly form: HdlForm;
  /** host[:port] in the form `server`, else null. */
  readonly server: string | null;
  /** The URI's query; for a CORDRA identifier this is the query of the identifier itself. */
  readonly query: string | null;
  readonly fragment: string | null;
}>;

/** An http or https URI that gives a Handle to a resolver. */
export type HttpUri = Branded<{
  readonly type: 'http-uri';
  readonly name: CordraId | Handle;
  readonly resolver: Resolver;
  /** As in `HdlUri`. */
  readonly query: string | null;
  readonly fragment: string | null;
}>;

/** An `info:hdl/` URI. */
export type InfoHdl = Branded<{
  readonly type: 'info-hdl';
  readonly name: CordraId | Handle;
  /** The URI's fragment, always null beside a CORDRA identifier. */
  readonly fragment: string | null;
}>;
