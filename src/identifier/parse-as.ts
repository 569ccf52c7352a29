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
import type { CordraId, FedoraDissemination, FedoraPid, Handle, Uuid } from './types.js';
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

/** One of `KINDS`. */
export type Kind = (typeof KINDS)[number];

interface NameByKind {
  readonly cordra: CordraId;
  readonly handle: Handle;
  readonly 'hdl-uri': CordraId | Handle;
  readonly 'http-uri': CordraId | Handle;
  readonly 'info-hdl': CordraId | Handle;
  readonly 'fedora-pid': FedoraPid;
  readonly 'fedora-uri': FedoraPid;
  readonly 'fedora-dissemination': FedoraDissemination;
  readonly uuid: Uuid;
}

/** The result of parsing a text of one of the kinds `K`: its `kind` says what the name and the parts are. */
export type Reading<K extends Kind = Kind> = {
  [P in K]: {
    readonly kind: P;
    /** The name. */
    readonly name: NameByKind[P];
    /** The canonical text, in the same form as the input. */
    readonly normalized: string;
    readonly parts: show.Parts<P>;
  };
}[K];

/** A failure, with the most similar kind; null when the text resembles none. */
export interface Unrecognized extends Failure {
  readonly kind: Kind | null;
}

/** The result of recognition. */
export type Recognition = Success<Reading> | Unrecognized;

export interface ReadingOptions extends HdlUriOptions {
  readonly resolver?: Resolver | undefined;
}

/** Parses a text strictly as the given kind. */
export function readAs<K extends Kind>(input: string, kind: K, options: ReadingOptions): Result<Reading<K>>;
export function readAs(input: string, kind: Kind, options: ReadingOptions): Result<Reading> {
  checkOneOf('kind', kind, KINDS);
  switch (kind) {
    case 'cordra':
      return as(parseCordraId(input), (id) => ({
        kind,
        name: id,
        normalized: formatCordraId(id),
        parts: show.cordraParts(id),
      }));
    case 'handle':
      return as(parseHandle(input, options), (name) => ({
        kind,
        name,
        normalized: formatHandle(name),
        parts: show.handleParts(name),
      }));
    case 'hdl-uri':
      return as(parseHdlUri(input, options), (uri) => ({
        kind,
        name: uri.name,
        normalized: formatHdlUri(uri),
        parts: show.hdlUriParts(uri),
      }));
    case 'http-uri':
      return as(parseHttpUri(input, options), (uri) => ({
        kind,
        name: uri.name,
        normalized: formatHttpUri(uri),
        parts: show.httpUriParts(uri),
      }));
    case 'info-hdl':
      return as(parseInfoHdl(input, options), (uri) => ({
        kind,
        name: uri.name,
        normalized: formatInfoHdl(uri),
        parts: show.infoHdlParts(uri),
      }));
    case 'fedora-pid':
      return as(parseFedoraPid(input), (name) => ({
        kind,
        name,
        normalized: formatFedoraPid(name),
        parts: show.fedoraPidParts(name),
      }));
    case 'fedora-uri':
      return as(parseFedoraUri(input), (name) => ({
        kind,
        name,
        normalized: formatFedoraUri(name),
        parts: show.fedoraUriParts(name),
      }));
    case 'fedora-dissemination':
      return as(parseFedoraDissemination(input), (name) => ({
        kind,
        name,
        normalized: formatFedoraDissemination(name),
        parts: show.disseminationParts(name),
      }));
    case 'uuid':
      return as(parseUuid(input), (name) => ({
        kind,
        name,
        normalized: formatUuid(name),
        parts: show.uuidParts(name),
      }));
  }
}

function as<T>(result: Result<T>, reading: (value: T) => Reading): Result<Reading> {
  return result.ok ? ok(reading(result.value), result.repairs) : result;
}
