import type { FastifyRequest } from 'fastify';
import { MAX_PARAMETERS, isTrue, parametersIn } from '../../../http/request-target.js';
import { Problem, invalidValue } from '../../../problem/problem.js';
import { numberIn } from '../../values/index.js';

/** The parameters of a request below `/api/handles`. Unlisted parameters, such as `auth`, `cert` and `doNotRefer`, are ignored. */
export type HandlesQuery = Readonly<ReturnType<typeof noQuery>>;

function noQuery() {
  return {
    types: [] as string[],
    indexes: [] as number[],
    /** Whether the request has `index=various`, which in a PUT stands for the indexes in its body. */
    isVarious: false,
    hasInvalidIndex: false,
    publicOnly: null as boolean | null,
    overwrite: true,
    mintNewSuffix: false,
    pretty: false,
    callback: null as string | null,
    prefix: null as string | null,
    page: null as string | null,
    pageSize: null as string | null,
  };
}

export const NO_QUERY: HandlesQuery = Object.freeze(noQuery());

/**
 * Reads the parameters of the query and, for a POST, of the body: a form, or a JSON object with an array for a repeated parameter.
 * @throws Problem INVALID_REQUEST for another JSON body, or for a `callback` with credentials, because any page can load a script.
 */
export function handlesQuery({ originalUrl, method, body, headers }: FastifyRequest): HandlesQuery {
  const pairs = originalUrl.includes('?') ? parametersIn(originalUrl) : [];
  const sent = method === 'POST' && body !== undefined ? parametersOf(body) : [];
  const query = pairs.length + sent.length === 0 ? NO_QUERY : queryOf([...pairs, ...sent]);
  if (query.callback === null || headers.authorization === undefined) return query;
  throw new Problem(
    'INVALID_REQUEST',
    'Send no credentials with the parameter "callback": any page can load a script.',
  );
}

function parametersOf(body: unknown): (readonly [string, string])[] {
  if (body instanceof URLSearchParams) return [...body].slice(0, MAX_PARAMETERS);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidValue('', 'POST reads, with parameters in a form or a JSON object. Send values with PUT.');
  }
  return Object.entries(body)
    .flatMap(([name, value]) => [value].flat().map((item) => [name, item] as const))
    .slice(0, MAX_PARAMETERS)
    .filter(([, item]) => ['string', 'number', 'boolean'].includes(typeof item))
    .map(([name, item]) => [name, String(item)]);
}

/** @param pairs names and values, in order; null for a value that cannot be decoded. */
export function queryOf(pairs: Iterable<readonly [string, string | null]>): HandlesQuery {
  const query = noQuery();
  for (const [name, value] of pairs) {
    if (name === 'type' && value !== null) query.types.push(value);
    else if (name === 'index' && value === 'various') query.isVarious = true;
    else if (name === 'index') {
      const index = numberIn(value);
      if (index) query.indexes.push(index);
      else query.hasInvalidIndex = true;
    } else if (name === 'pretty' || name === 'publicOnly') query[name] = isTrue(value);
    else if (name === 'overwrite' || name === 'mintNewSuffix') query[name] = value?.toLowerCase() === 'true';
    else if (name === 'callback' || name === 'prefix' || name === 'page' || name === 'pageSize') query[name] = value;
  }
  return query;
}
