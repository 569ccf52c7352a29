import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.js';
import { numberIn } from '../values/index.js';
import { MAX_PARAMETERS, isTrue, parametersIn } from '../../http/request-target.js';

/** The parameters of a request; unlisted parameters are ignored. */
export interface ResolveQuery {
  /** Whether the record is shown in place of a redirect; any `action` has this effect too. */
  readonly noredirect: boolean;
  readonly action: 'showvalues' | 'showurls' | 'api' | null;
  readonly types: readonly string[];
  readonly indexes: readonly number[];
  readonly hasInvalidIndex: boolean;
  /** Appended to the target or location; null where absent, undefined where it cannot be decoded. */
  readonly urlappend: string | null | undefined;
  /** Attributes, such as `country:us`, by which a location of a value 10320/loc is chosen. */
  readonly locatt: readonly string[];
  readonly ignoresAliases: boolean;
  /** `pretty` and `callback` apply only to `action=api`. */
  readonly pretty: boolean;
  readonly callback: string | null;
}

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: ResolveQuery;
  readonly principal: Principal;
}

export const NO_QUERY: ResolveQuery = Object.freeze({
  noredirect: false,
  action: null,
  types: [],
  indexes: [],
  hasInvalidIndex: false,
  urlappend: null,
  locatt: [],
  ignoresAliases: false,
  pretty: false,
  callback: null,
});

const ACTIONS: ReadonlySet<string> = new Set(['showvalues', 'showurls', 'api']);

/** Reads the query of a request target: parameters are separated by "&" or ";", and "+" is not a blank. */
export function readQuery(target: string): ResolveQuery {
  return target.includes('?') ? queryOf(parametersIn(target)) : NO_QUERY;
}

/** @param pairs names and values, in order; null for a value that cannot be decoded. */
export function queryOf(pairs: Iterable<readonly [string, string | null]>): ResolveQuery {
  const [types, indexes, locatt]: [string[], number[], string[]] = [[], [], []];
  const query: { -readonly [Name in keyof ResolveQuery]: ResolveQuery[Name] } = { ...NO_QUERY, types, indexes, locatt };
  for (const [name, value] of pairs) {
    if (name === 'action' && value !== null && ACTIONS.has(value)) query.action = value as ResolveQuery['action'];
    else if (name === 'type' && value !== null) types.push(value);
    else if (name === 'urlappend') query.urlappend ??= value ?? undefined;
    else if (name === 'locatt' && value !== null) locatt.push(value);
    else if (name === 'ignore_aliases') query.ignoresAliases = isTrue(value);
    else if (name === 'noredirect' || name === 'pretty') query[name] = isTrue(value);
    else if (name === 'callback') query.callback = value;
    else if (name === 'index') {
      const index = numberIn(value);
      if (index) indexes.push(index);
      else query.hasInvalidIndex = true;
    }
  }
  return query;
}

/** The parameters of the query and of the body, which is a form or a JSON object; members that are not texts are ignored. */
export function queryIn({ originalUrl, body }: FastifyRequest): ResolveQuery {
  if (typeof body !== 'object' || body === null) return readQuery(originalUrl);
  const pairs = (body instanceof URLSearchParams ? [...body] : Object.entries(body)).slice(0, MAX_PARAMETERS);
  const texts = pairs.filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  return queryOf([...parametersIn(originalUrl), ...texts]);
}

/** The query of a request target with its "?"; empty if it has spaces, control characters or characters beyond ASCII. */
export function visibleQuery(target: string): string {
  const query = /\?[^#]*/.exec(target)?.[0] ?? '';
  return /^[\x21-\x7e]*$/.test(query) ? query : '';
}

export function showsRecord({ noredirect, action }: ResolveQuery): boolean {
  return noredirect || action !== null;
}
