import type { FastifyRequest } from 'fastify';
import { MAX_INDEX, invalidInput, numberIn, targetOfText } from '../../values/index.js';
import { upperAscii } from '../../../registry/upper-ascii.js';
import { parametersIn } from '../../../http/request-target.js';
import type { NamingAuthoritySnapshot } from '../../../registry/naming-authority-snapshot.js';
import { searchedOpaqueName } from '../../../registry/opaque-metadata-id.js';
import type { SearchTerm } from '../../../storage/identifiers/value-search.js';

const DEFAULT_LIMIT = 1000;
const MAX_LIMIT = 100_000;

/** Maximum number of results with `retrieverecords=true`; a record can have 1.6 MB. */
const MAX_RECORDS = 1000;

/** Maximum number of conditions. Each condition, and each asterisk in its value, slows the comparison with a record. */
const MAX_TERMS = 10;
const MAX_ASTERISKS = 10;
const MAX_PATTERN_LENGTH = 2048;

/**
 * Reads the parameters `limit`, `page` and `retrieverecords` of the reverse look-up servlet of EUDAT, and ignores its `enforcesql`. Every
 * other parameter is a condition: its name is a type of values, in any case. A record must match all conditions.
 * @returns no `terms` if no record can match.
 * @throws HandleFault code 4
 */
export function searchRequest({ originalUrl }: FastifyRequest, known: NamingAuthoritySnapshot) {
  const terms: (SearchTerm | null)[] = [];
  let [limit, page, retrievesRecords] = [DEFAULT_LIMIT, 0, false];
  for (const [name, value] of parametersIn(originalUrl)) {
    if (value === null) throw invalidInput(`The parameter "${name}" is not percent-encoded UTF-8.`);
    if (name === 'limit') limit = Math.min(countIn(name, value), MAX_LIMIT);
    else if (name === 'page') page = countIn(name, value);
    else if (name === 'retrieverecords') retrievesRecords = value.toLowerCase() === 'true';
    else if (name !== 'enforcesql' && name !== '') terms.push(termOf(upperAscii(name), value, known));
  }
  if (terms.length > MAX_TERMS) throw invalidInput(`A search has at most ${MAX_TERMS} conditions.`);
  if (retrievesRecords) limit = Math.min(limit, MAX_RECORDS);
  const found = terms.filter((term) => term !== null);
  return {
    terms: found.length < terms.length ? null : found,
    limit,
    offset: Math.min(page * limit, MAX_INDEX),
    retrievesRecords,
  };
}

/** Null if no record can match: for U+0000, which the database does not store, and for a malformed METADATA_ID. */
function termOf(type: string, value: string, known: NamingAuthoritySnapshot): SearchTerm | null {
  if (type === 'HS_SECKEY') throw invalidInput('Searching via HS_SECKEY entries is not allowed!');
  if (value.length > MAX_PATTERN_LENGTH || value.split('*').length > MAX_ASTERISKS + 1) {
    throw invalidInput(`A value has at most ${MAX_PATTERN_LENGTH} characters and ${MAX_ASTERISKS} asterisks.`);
  }
  if (type.includes('\0') || value.includes('\0')) return null;
  if (!value.includes('*')) {
    if (type === 'METADATA_ID') {
      const read = known.readName(value);
      const opaque = searchedOpaqueName(value, known);
      const name = read.ok ? read.value : undefined;
      return name === undefined && opaque === undefined ? null : { kind: 'metadata', name, opaque };
    }
    const target = type === 'URL' ? targetOfText(value) : null;
    if (target !== null) return { kind: 'target', target };
  }
  return { kind: 'pattern', type, pattern: value };
}

function countIn(name: string, value: string): number {
  const number = numberIn(value);
  if (number === null) throw invalidInput(`${name} must be a number from 0 to ${MAX_INDEX}.`);
  return number;
}
