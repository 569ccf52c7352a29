import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Principal } from '../../access/principal.js';
import { numberIn } from '../values/index.js';
import { MAX_PARAMETERS, isTrue, parametersIn } from '../../http/request-target.js';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly query: ResolveQuery;
  readonly principal: Principal;
}

const ACTIONS = ['showvalues', 'showurls', 'api'] as const;

/** The parameters of a request. Unlisted parameters are ignored. */
export type ResolveQuery = Readonly<ReturnType<typeof noQuery>>;

function noQuery() {
  return {
    /** Whether the record is shown instead of a redirect. Any `action` also has this effect. */
    noredirect: false,
    action: null as (typeof ACTIONS)[number] | null,
    types: [] as string[],
    indexes: [] as number[],
    hasInvalidIndex: false,
    /** Appended to the target or location; null if absent, undefined if it cannot be decoded. */
    urlappend: null as string | null | undefined,
    /** Attributes, such as `country:us`, by which a location of a value 10320/loc is chosen. */
    locatt: [] as string[],
    ignoresAliases: false,
    /** `pretty` and `callback` apply only to `action=api`. */
    pretty: false,
    callback: null as string | null,
  };
}

export const NO_QUERY: ResolveQuery = Object.freeze(noQuery());

/** Reads the query of a request target. Parameters are separated by "&" or ";", and "+" is not a blank. */
export function readQuery(target: string): ResolveQuery {
  return target.includes('?') ? queryOf(parametersIn(target)) : NO_QUERY;
}

/** @param pairs names and values, in order; null for a value that cannot be decoded. */
export function queryOf(pairs: Iterable<readonly [string, string | null]>): ResolveQuery {
  const query = noQuery();
  for (const [name, value] of pairs) {
    if (name === 'action') query.action = ACTIONS.find((each) => each === value) ?? query.action;
    else if (name === 'type' && value !== null) query.types.push(value);
    else if (name === 'urlappend') query.urlappend ??= value ?? undefined;
    else if (name === 'locatt' && value !== null) query.locatt.push(value);
    else if (name === 'ignore_aliases') query.ignoresAliases = isTrue(value);
    else if (name === 'noredirect' || name === 'pretty') query[name] = isTrue(value);
    else if (name === 'callback') query.callback = value;
    else if (name === 'index') {
      const index = numberIn(value);
      if (index) query.indexes.push(index);
      else query.hasInvalidIndex = true;
    }
  }
  return query;
}

/** The parameters of the query and of the body, which is a form or a JSON object. Members that are not texts are ignored. */
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
