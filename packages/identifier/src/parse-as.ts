/** Parsing by kind, for normalization and recognition. */
import { formatCordraId, parseCordraId } from './forms/cordra-id.js';
import { formatUuid, parseUuid } from './forms/uuid.js';
import { formatFedoraDissemination, parseFedoraDissemination } from './forms/fedora-dissemination.js';
import { formatFedoraPid, parseFedoraPid } from './forms/fedora-pid.js';
import { formatFedoraUri, parseFedoraUri } from './forms/fedora-uri.js';
import { formatHandle, parseHandle } from './forms/handle.js';
import { formatHdlUri, type HdlUriOptions, parseHdlUri } from './forms/hdl-uri.js';
import { formatHttpUri, parseHttpUri } from './forms/http-uri.js';
import { formatInfoHdl, parseInfoHdl } from './forms/info-hdl.js';
import type { CordraId, FedoraDissemination, FedoraPid, Handle, HdlUri, HttpUri, InfoHdl, Uuid } from './types.js';
import * as show from './components.js';
import { checkOneOf } from './options.js';
import type { Resolver } from './resolver.js';
import { type Failure, ok, type Result, type Success } from './syntax-error.js';

/** The kinds of text, each with a parser. */
export const KINDS = /* @__PURE__ */ Object.freeze([
  'cordra',
  'handle',
  'hdl-uri',
  'http-uri',
  'info-hdl',
  'fedora-pid',
  'fedora-uri',
  'fedora-dissemination',
  'uuid',
] as const);

export type Kind = (typeof KINDS)[number];

interface ValueByKind {
  readonly cordra: CordraId;
  readonly handle: Handle;
  readonly 'hdl-uri': HdlUri;
  readonly 'http-uri': HttpUri;
  readonly 'info-hdl': InfoHdl;
  readonly 'fedora-pid': FedoraPid;
  readonly 'fedora-uri': FedoraPid;
  readonly 'fedora-dissemination': FedoraDissemination;
  readonly uuid: Uuid;
}

type NameIn<T> = T extends { readonly name: infer N } ? N : T;

/** The result of parsing a text of one of the kinds `K`; `kind` determines the types of the name and the parts. */
export type Reading<K extends Kind = Kind> = {
  [P in K]: {
    readonly kind: P;
    readonly name: NameIn<ValueByKind[P]>;
    /** The canonical text, in the same form as the input. */
    readonly normalized: string;
    readonly parts: show.Parts<P>;
  };
}[K];

/** A failure, with the most similar kind; null when the text resembles none. */
export interface Unrecognized extends Failure {
  readonly kind: Kind | null;
}

export type Recognition = Success<Reading> | Unrecognized;

export interface ReadingOptions extends HdlUriOptions {
  readonly resolver?: Resolver | undefined;
}

/** The parser of a kind, the writer, and the function that shows the components. */
type Form<K extends Kind> = readonly [
  (input: string, options: ReadingOptions) => Result<ValueByKind[K]>,
  (value: ValueByKind[K]) => string,
  (value: ValueByKind[K]) => show.Parts<K>,
];

const FORMS: { readonly [K in Kind]: Form<K> } = {
  cordra: [parseCordraId, formatCordraId, show.cordraParts],
  handle: [parseHandle, formatHandle, show.handleParts],
  'hdl-uri': [parseHdlUri, formatHdlUri, show.hdlUriParts],
  'http-uri': [parseHttpUri, formatHttpUri, show.uriParts],
  'info-hdl': [parseInfoHdl, formatInfoHdl, show.infoHdlParts],
  'fedora-pid': [parseFedoraPid, formatFedoraPid, show.fedoraPidParts],
  'fedora-uri': [parseFedoraUri, formatFedoraUri, show.fedoraUriParts],
  'fedora-dissemination': [parseFedoraDissemination, formatFedoraDissemination, show.disseminationParts],
  uuid: [parseUuid, formatUuid, show.uuidParts],
};

/** Parses a text strictly as the given kind. */
export function readAs<K extends Kind>(input: string, kind: K, options: ReadingOptions): Result<Reading<K>> {
  checkOneOf('kind', kind, KINDS);
  const read = FORMS[kind][0](input, options);
  return read.ok ? ok(readingOf(kind, read.value), read.repairs) : read;
}

export function readingOf<K extends Kind>(kind: K, value: ValueByKind[K]): Reading<K> {
  const form = FORMS[kind];
  const name = 'name' in value ? value.name : value;
  // The compiler does not see that the name has the type of the kind.
  return { kind, name, normalized: form[1](value), parts: form[2](value) } as Reading<K>;
}
