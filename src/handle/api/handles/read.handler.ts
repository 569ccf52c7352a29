import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { principalOf } from '../../../access/current-principal.js';
import type { Principal } from '../../../access/principal.js';
import {
  type HandleResponse,
  INVALID_INDEX,
  computedValues,
  invalidResponse,
  jsonText,
  notFoundResponse,
  notResponsibleResponse,
  RESPONSE_CODE,
  selectValues,
  valueJson,
  tooLongResponse,
  valuesResponse,
  valuesOf,
  withdrawnResponse,
} from '../../values/index.js';
import { type HandleApiLabel, Metrics } from '../../../metrics/metrics.js';
import { availabilityOf } from '../../../registry/availability.js';
import { isHandleUser } from '../../../registry/handle-user.js';
import type { NamingAuthority } from '../../../registry/naming-authority.js';
import type { IdentifierRecord } from '../../../registry/identifier-record.js';
import { type StoredValue, isShown } from '../../../registry/stored-value.js';
import { requireUser, sendResponse, sendText } from '../send-response.js';
import { requestedHandle } from '../handle-routes.js';
import { HandleFinder } from './handle-finder.js';
import { type HandlesQuery, NO_QUERY, handlesQuery } from './handles-query.js';

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
    const query = handlesQuery(request);
    const [outcome, response] = await this.respond(request, query);
    this.metrics.handleApi(outcome);
    return typeof response === 'string' ? sendText(reply, 200, response) : sendResponse(reply, response, query);
  };

  /** @returns a text if it is the body of a response with the status 200. */
  private async respond(
    request: FastifyRequest,
    query: HandlesQuery,
  ): Promise<readonly [HandleApiLabel, HandleResponse | string]> {
    const { handle, isMalformed } = requestedHandle(request.raw);
    if (isMalformed) return ['rejected', invalidResponse(handle, 'The path is not percent-encoded UTF-8.')];
    if (query.isVarious || query.hasInvalidIndex) return ['rejected', invalidResponse(handle, INVALID_INDEX)];
    const principal = principalOf(request);
    const location = await this.finder.locate(handle, principal);
    if (location.kind === 'foreign') return ['unknown', notResponsibleResponse(handle)];
    if (location.kind === 'tooLong') return ['rejected', tooLongResponse(handle)];
    const record = await this.finder.find(location);
    if (record === null && isHandleUser(location.authority, location.localName))
      return ['shown', valuesResponse(handle, selectValues(userValues(location.authority), query))];
    if (record === null) return ['unknown', notFoundResponse(handle)];
    const availability = availabilityOf(principal.redact(record));
    if (availability.kind !== 'shown') return ['withdrawn', withdrawnResponse(handle, availability.tombstone.reason)];
    if (query === NO_QUERY && principal.isAnonymous) return ['shown', recordText(handle, record)];
    return ['shown', valuesResponse(handle, shownValues(record, principal, query))];
  }
}

function shownValues(record: IdentifierRecord, principal: Principal, query: HandlesQuery): readonly StoredValue[] {
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
