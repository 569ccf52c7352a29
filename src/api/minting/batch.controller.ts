import { Controller, Headers, HttpCode, HttpStatus, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Context } from '../../access/current-principal.js';
import type { RequestContext } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { ApiIdempotencyKey, REPLAYED_HEADER } from '../../http/headers/idempotency-key.js';
import { LargeBody } from '../../http/body/body-limits.js';
import { ownTurn } from '../../http/body/own-turn.js';
import { ApiPrefer, PREFERENCE_HEADER, preferenceApplied, readPreferences } from '../../http/headers/prefer.js';
import { ValidBody, ValidQuery, readPart } from '../../http/validation/request-validation.js';
import { sendStream } from '../../http/body/send-stream.js';
import { ApiBody, ApiReturns, ApiTags } from '../../openapi/annotations.js';
import { ApiProblems, BODY_CODES, IDEMPOTENCY_CODES } from '../../problem/api-problems.js';
import { invalidValue } from '../../problem/problem.js';
import type { NamedResult } from '../../minting/mint-outcome.js';
import { MintPresenter, type ResultStyle } from './mint-presenter.js';
import { BatchResponseDto, BatchQueryDto, BatchRequestDto, readItem } from './batch.dto.js';
import { type BatchCommand, BatchService } from '../../bulk/batch.service.js';
import type { ReceivedItem } from '../../bulk/mint-item.js';

const PATH = '/identifiers/batch';

/** Number of items that are validated before other requests continue. */
const SLICE = 100;

@ApiTags('identifiers')
@Controller('identifiers')
export class BatchController {
  constructor(
    private readonly batches: BatchService,
    private readonly presenter: MintPresenter,
  ) {}

  /**
   * Mint or register many identifiers
   * @remarks Mints up to 10,000 identifiers in one transaction: `items`, each as for a single mint, or a `count` of identifiers without
   * attributes. The response has one result for each item, in the order of the request. An item with the GUID, the local name, an alternate
   * identifier or the metadata ID of an earlier item fails with 422 `DUPLICATE_IN_REQUEST` and `duplicateOf`. Items that share only the
   * metadata ID and all have `onExisting: "match"` (the default) are processed in order. A later item returns the identifier of the first
   * item, or fails with 409 `METADATA_ID_TAKEN`. The existing identifiers that a batch updates may have at most 16 MiB in total. An item
   * can name an earlier item as its `previousVersion`, in a chain of at most 100 items.
   *
   * With `mode=atomic`, nothing is stored if any item fails, and the status is 422 `BATCH_REFUSED`. The items themselves are checked first,
   * then their naming authorities and conflicts with registered identifiers. `errors` has at most 100 errors, all from the first check that
   * fails. The `Idempotency-Key` covers the whole batch.
   */
  @Post('batch')
  @Requires('mint', 'register')
  @LargeBody()
  @HttpCode(HttpStatus.OK)
  @ApiIdempotencyKey()
  @ApiBody({ type: BatchRequestDto })
  @ApiPrefer('return=minimal')
  @ApiReturns(BatchResponseDto, 'One result for each item, in the order of the request.', {
    ...REPLAYED_HEADER,
    ...PREFERENCE_HEADER,
  })
  @ApiProblems(
    ...(['BATCH_REFUSED', 'UNKNOWN_NAMING_AUTHORITY', 'SUSPENDED_NAMING_AUTHORITY'] as const),
    ...[...BODY_CODES, ...IDEMPOTENCY_CODES],
  )
  async mint(
    @ValidBody() body: unknown,
    @ValidQuery() { mode }: BatchQueryDto,
    @Context() context: RequestContext,
    @Headers('prefer') prefer: string | undefined,
    @Req() httpRequest: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const batch = await readBatch(body, mode);
    const { results, replayed } = await this.batches.mint(batch, context);
    const { isMinimal } = readPreferences(prefer);
    if (replayed) void reply.header('idempotency-replayed', 'true');
    void reply.headers(preferenceApplied({ isMinimal }));
    void reply.status(HttpStatus.OK).type('application/json; charset=utf-8');
    sendStream(httpRequest, reply, this.write(results, { principal: context.principal, instance: PATH, isMinimal }));
  }

  /** Writes the response in parts, because it can exceed 10 MB. */
  private async *write(results: readonly NamedResult[], style: ResultStyle): AsyncGenerator<string> {
    let before = '{"items":[';
    for await (const part of this.presenter.results(results, style)) {
      yield before + part.map((result) => JSON.stringify(result)).join(',');
      before = ',';
      await ownTurn();
    }
    yield `${results.length === 0 ? before : ''}]}\n`;
  }
}

/** @throws Problem INVALID_REQUEST for an error outside the items. An error in an item becomes the result of the item. */
async function readBatch(body: unknown, mode: BatchQueryDto['mode']): Promise<BatchCommand> {
  const { items: values, count, namingAuthority } = readPart(BatchRequestDto, body);
  if ((count === undefined) === (values === undefined)) throw invalidValue('/items', 'send either items or count');
  if (count !== undefined && namingAuthority === undefined)
    throw invalidValue('/namingAuthority', 'count requires namingAuthority');
  const items: ReceivedItem[] = [];
  for (const value of values ?? Array.from({ length: count ?? 0 }, () => ({}))) {
    items.push(readItem(value));
    if (items.length % SLICE === 0) await ownTurn();
  }
  return { namingAuthority, items, isCount: values === undefined, mode };
}
