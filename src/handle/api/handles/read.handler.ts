import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import type { Principal } from '../../../access/principal.js';
import { type HandleQuery, NO_QUERY, handleQuery } from '../../handle-query.js';
import {
  INVALID_INDEX,
  computedValues,
  invalidInput,
  jsonText,
  notFound,
  RESPONSE_CODE,
  selectValues,
  valueJson,
  valuesResponse,
  valuesOf,
  withdrawn,
} from '../../values/index.js';
import { Metrics } from '../../../metrics/metrics.js';
import { availabilityOf } from '../../../registry/availability.js';
import { isHandleUser } from '../../../registry/handle-user.js';
import type { NamingAuthority } from '../../../registry/naming-authority.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { type StoredValue, isShown } from '../../../registry/stored-value.js';
import { requireUser, sendResponse, sendText } from '../send-response.js';
import { requiredHandle } from '../handle-routes.js';
import { HandleFinder, requireHere } from './handle-finder.js';

/** The JSON of the public values of each record object. The cache of records returns the same object many times. */
const texts = new WeakMap<IdentifierRecord, string>();

/** `GET`, `HEAD` and `POST /api/handles/{handle}`. */
@Injectable()
export class ReadHandler {
  constructor(
    private readonly finder: HandleFinder,
    private readonly metrics: Metrics,
  ) {}

  readonly handle = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const query = handleQuery(request);
    const handle = requiredHandle(request.raw);
    if (query.isVarious || query.hasInvalidIndex) throw invalidInput(INVALID_INDEX);
    const principal = principalOf(request);
    const location = requireHere(await this.finder.locate(handle, principal));
    const record = await this.finder.find(location);
    if (record === null && !isHandleUser(location.authority, location.localName)) throw notFound();
    const availability = record && availabilityOf(principal.redact(record));
    if (availability !== null && availability.kind !== 'shown') throw withdrawn(availability.tombstone.reason);
    this.metrics.handleApi('shown');
    if (record !== null && query === NO_QUERY && principal.isAnonymous)
      return sendText(reply, 200, recordText(handle, record));
    const values =
      record === null ? selectValues(userValues(location.authority), query) : shownValues(record, principal, query);
    return sendResponse(reply, valuesResponse(handle, values), query);
  };
}

function shownValues(record: IdentifierRecord, principal: Principal, query: HandleQuery): readonly StoredValue[] {
  const selected = selectValues(valuesOf(record), query);
  // A principal that may change the values may also read the values that are not public.
  const mayChange = !principal.isAnonymous && principal.curates(record.namingAuthority);
  if (query.publicOnly !== true && mayChange) return selected;
  const shown = selected.filter(isShown);
  const isMissed = query.publicOnly === false && shown.length < selected.length;
  if (isMissed) requireUser(principal, 'Some of the values are not public: send a user and a key.');
  return shown;
}

/** The values of the Handle that is the user of a key: the HS_ADMIN value of its prefix, without the secret key. */
function userValues({ prefix, createdAt }: NamingAuthority): readonly StoredValue[] {
  const source = { namingAuthority: prefix, target: null, metadataId: null, createdAt, updatedAt: createdAt };
  return computedValues(source);
}

/** The body of a response with all public values of a record, equal to the JSON of `valuesResponse`. */
export function recordText(handle: string, record: IdentifierRecord): string {
  let values = texts.get(record);
  if (values === undefined) {
    values = jsonText(valuesOf(record).filter(isShown).map(valueJson));
    texts.set(record, values);
  }
  const { success, valueNotFound } = RESPONSE_CODE;
  const name = jsonText(handle);
  return values === '[]'
    ? `{"responseCode":${valueNotFound},"values":[],"handle":${name}}`
    : `{"responseCode":${success},"handle":${name},"values":${values}}`;
}
