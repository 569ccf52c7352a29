import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { requestContextOf } from '../../../access/current-principal.js';
import type { RequestContext } from '../../../access/principal.js';
import { type HandleLocation, locationIn } from '../../../changing/handle-location.js';
import { HandleRecordsService } from '../../../changing/handle-records.service.js';
import { type HandleQuery, handleQuery } from '../../handle-query.js';
import {
  INVALID_INDEX,
  type ParsedBody,
  RESPONSE_CODE,
  type ValuesToPut,
  invalidInput,
  notFound,
  parseValues,
} from '../../values/index.js';
import { MAX_PARAMETERS, hasTooManyParameters } from '../../../http/request-target.js';
import { areSameHandle } from '../../../registry/naming-authority.js';
import { type HandleApiLabel, Metrics } from '../../../metrics/metrics.js';
import { requireNoUser } from '../../../registry/handle-user.js';
import { nativeText } from '../../../registry/identifier-record.js';
import { NamingAuthorityCache } from '../../../storage/naming-authorities/naming-authority-cache.js';
import { sendResponse } from '../send-response.js';
import { requiredHandle } from '../handle-routes.js';
import { requireHere } from './handle-finder.js';

interface Write {
  readonly reply: FastifyReply;
  /** The Handle as the client wrote it. */
  readonly handle: string;
  /** The Handle as a native text, with the prefix as it was created. */
  readonly native: string;
  readonly location: HandleLocation;
  readonly query: HandleQuery;
  readonly context: RequestContext;
}

/** `PUT` and `DELETE /api/handles/{handle}`. */
@Injectable()
export class WriteHandler {
  constructor(
    private readonly authorities: NamingAuthorityCache,
    private readonly records: HandleRecordsService,
    private readonly metrics: Metrics,
  ) {}

  readonly put = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const write = await this.writeIn(request, reply);
    const body = parseValues(request.body, new Date());
    requireSameHandle(body, write);
    return write.query.mintNewSuffix ? this.mint(write, body) : this.putValues(write, body);
  };

  readonly delete = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const write = await this.writeIn(request, reply);
    const { native, location, query, context } = write;
    if (query.isVarious) throw invalidInput(INVALID_INDEX);
    if (location.address === null) throw notFound();
    const { indexes } = query;
    if (indexes.length === 0) await this.records.delete(withoutKey(context), native);
    else await this.records.remove(withoutKey(context), native, indexes);
    return this.done(write, indexes.length === 0 ? 'deleted' : 'changed', 200);
  };

  /** A PUT without `mintNewSuffix` names its Handle, so a repeat creates no second Handle, and an Idempotency-Key has no effect. */
  private async putValues(write: Write, { values }: ParsedBody): Promise<FastifyReply> {
    const { native, location, query, context } = write;
    const { overwrite, isVarious, indexes } = query;
    if (location.address === null) throw invalidInput(unregistrable(location));
    requireNoUser(location.authority, location.localName, '');
    const selected = indexes.length === 0 ? null : indexes;
    const put: ValuesToPut = { values, indexes: isVarious ? 'various' : selected, overwrite };
    const outcome = await this.records.put(withoutKey(context), native, put);
    // As at Handle.Net, 201 means that a Handle was created, or that values were added and none was overwritten.
    const isCreated = outcome === 'created' || (put.indexes !== null && !overwrite);
    return this.done(write, outcome === 'created' ? 'created' : 'changed', isCreated ? 201 : 200);
  }

  private async mint(write: Write, { values }: ParsedBody): Promise<FastifyReply> {
    const { native, context } = write;
    const { record } = await this.records.mint(context, native, values);
    return this.done({ ...write, handle: nativeText(record) }, 'created', 201);
  }

  private async writeIn(request: FastifyRequest, reply: FastifyReply): Promise<Write> {
    const query = handleQuery(request);
    const handle = requiredHandle(request.raw);
    // Parameters beyond the maximum would be ignored, and one of them could be an `index` that limits the write.
    if (hasTooManyParameters(request.originalUrl)) {
      throw invalidInput(`A write has at most ${MAX_PARAMETERS} parameters.`);
    }
    if (query.hasInvalidIndex) throw invalidInput(INVALID_INDEX);
    const context = requestContextOf(request, reply);
    const known = context.principal.viewOf(await this.authorities.current());
    const location = requireHere(locationIn(known, handle));
    const native = `${location.authority.prefix}/${location.localName}`;
    return { reply, handle, native, location, query, context };
  }

  private done({ reply, handle, query }: Write, outcome: HandleApiLabel, status: number): FastifyReply {
    this.metrics.handleApi(outcome);
    return sendResponse(reply, { status, body: { responseCode: RESPONSE_CODE.success, handle } }, query);
  }
}

/** Requires that a Handle in the body equals the Handle in the path. @throws HandleFault code 4 */
function requireSameHandle({ handle }: ParsedBody, { handle: requested, location: { authority } }: Write): void {
  if (handle === null || areSameHandle(authority, handle, requested)) return;
  throw invalidInput('The handle in the body must equal the handle in the path.');
}

function unregistrable({ authority, localName }: HandleLocation): string {
  if (localName === '') return 'A handle needs a suffix that is not empty.';
  return `Suffixes under ${authority.prefix} are GUIDs of 32 hexadecimal digits (CID-10); mint one with mintNewSuffix=true.`;
}

function withoutKey(context: RequestContext): RequestContext {
  return { ...context, idempotencyKey: undefined };
}
