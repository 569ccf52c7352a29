import type { FastifyRequest } from 'fastify';
import { MAX_PARAMETERS, isTrue, parametersIn } from '../http/request-target.js';
import { Problem, invalidRequest } from '../problem/problem.js';
import { numberIn } from './values/index.js';

const ACTIONS = ['showvalues', 'showurls', 'api'] as const;

/** The parameters of a request below `/api/handles` or to the resolver. Other parameters, such as `auth` and `doNotRefer`, are ignored. */
export type HandleQuery = Readonly<ReturnType<typeof noQuery>>;

function noQuery() {
  return {
    types: [] as string[],
    indexes: [] as number[],
    /** Whether the request has `index=various`, which in a PUT stands for the indexes in its body. */
    isVarious: false,
    hasInvalidIndex: false,
    pretty: false,
    /** The function of a script (JSONP); null for JSON. */
    callback: null as string | null,
    /** The parameters from here to `pageSize` apply only below `/api/handles`. */
    publicOnly: null as boolean | null,
    overwrite: true,
    mintNewSuffix: false,
    prefix: null as string | null,
    page: null as string | null,
    pageSize: null as string | null,
    /** The remaining parameters apply only at the resolver. `noredirect` shows the record; any `action` also has this effect. */
    noredirect: false,
    action: null as (typeof ACTIONS)[number] | null,
    /** Appended to the target or location; null if absent, undefined if it cannot be decoded. */
    urlappend: null as string | null | undefined,
    /** Attributes, such as `country:us`, by which a location of a value 10320/loc is chosen. */
    locatt: [] as string[],
    ignoresAliases: false,
  };
}

export const NO_QUERY: HandleQuery = Object.freeze(noQuery());

/** The result of `handleQuery` for each request, for error responses. */
export const acceptedQueries = new WeakMap<FastifyRequest, HandleQuery>();

/**
 * Reads the parameters of a request of the Handle API.
 * @throws Problem INVALID_REQUEST for a JSON body that is not an object, or for a `callback` with credentials
 */
export function handleQuery(request: FastifyRequest): HandleQuery {
  const { method, body } = request;
  if (method === 'POST' && body !== undefined && (typeof body !== 'object' || body === null || Array.isArray(body))) {
    throw invalidRequest('', 'POST reads, with parameters in a form or a JSON object. Send values with PUT.');
  }
  const query = queryIn(request);
  requireNoCredentials(request, query);
  acceptedQueries.set(request, query);
  return query;
}

/** Rejects a `callback` with credentials, because any page can load a script. @throws Problem INVALID_REQUEST */
export function requireNoCredentials({ headers }: FastifyRequest, { callback }: HandleQuery): void {
  if (callback === null || headers.authorization === undefined) return;
  throw new Problem(
    'INVALID_REQUEST',
    'Send no credentials with the parameter "callback": any page can load a script.',
  );
}

/** Reads the parameters of the query and, for a POST, of a form or a JSON object (arrays for repeated ones). Ignores other bodies. */
export function queryIn({ originalUrl, method, body }: FastifyRequest): HandleQuery {
  // In the query, parameters are separated by "&" or ";", and "+" is not a blank.
  const pairs = [...parametersIn(originalUrl), ...(method === 'POST' ? parametersOf(body) : [])];
  return pairs.length === 0 ? NO_QUERY : queryOf(pairs);
}

function parametersOf(body: unknown): (readonly [string, string])[] {
  if (body instanceof URLSearchParams) return [...body].slice(0, MAX_PARAMETERS);
  if (typeof body !== 'object' || body === null) return [];
  return Object.entries(body)
    .flatMap(([name, value]) => [value].flat().map((item) => [name, item] as const))
    .slice(0, MAX_PARAMETERS)
    .filter(([, item]) => ['string', 'number', 'boolean'].includes(typeof item))
    .map(([name, item]) => [name, String(item)]);
}

/** @param pairs names and values, in order; null for a value that cannot be decoded. */
function queryOf(pairs: Iterable<readonly [string, string | null]>): HandleQuery {
  const query = noQuery();
  for (const [name, value] of pairs) {
    if (name === 'type' && value !== null) query.types.push(value);
    else if (name === 'index' && value === 'various') query.isVarious = true;
    else if (name === 'index') {
      const index = numberIn(value);
      if (index) query.indexes.push(index);
      else query.hasInvalidIndex = true;
    } else if (name === 'pretty' || name === 'publicOnly' || name === 'noredirect') query[name] = isTrue(value);
    else if (name === 'ignore_aliases') query.ignoresAliases = isTrue(value);
    else if (name === 'overwrite' || name === 'mintNewSuffix') query[name] = value?.toLowerCase() === 'true';
    else if (name === 'callback' || name === 'prefix' || name === 'page' || name === 'pageSize') query[name] = value;
    else if (name === 'action') query.action = ACTIONS.find((each) => each === value) ?? query.action;
    else if (name === 'urlappend') query.urlappend ??= value ?? undefined;
    else if (name === 'locatt' && value !== null) query.locatt.push(value);
  }
  return query;
}

/** The query of a request target with its "?"; empty if it has spaces, control characters or characters beyond ASCII. */
export function visibleQuery(target: string): string {
  const query = /\?[^#]*/.exec(target)?.[0] ?? '';
  return /^[\x21-\x7e]*$/.test(query) ? query : '';
}

export function showsRecord({ noredirect, action }: HandleQuery): boolean {
  return noredirect || action !== null;
}
