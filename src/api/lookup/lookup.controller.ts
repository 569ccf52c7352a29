import { Controller, Get, HttpCode, HttpStatus, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal } from '../../access/current-principal.js';
import { Places, holderOf } from '../../access/limits/places.js';
import type { Principal } from '../../access/principal.js';
import { Requires } from '../../access/requires.js';
import { FindingService, type LookupResult } from '../../finding/finding.service.js';
import type { Hint } from '../../finding/miss.js';
import { LargeBody } from '../../http/body/body-limits.js';
import { namedType } from '../../http/headers/accept.js';
import { ApiIfMatch, ApiIfNoneMatch } from '../../http/headers/entity-tags.js';
import { sendList, sendShortList } from '../../http/body/list-response.js';
import { type CursorKind, Cursors } from '../../http/cursor.js';
import { ValidBody, ValidQuery, withQueryPointers } from '../../http/validation/request-validation.js';
import { OnlyReads } from '../../http/route-settings.js';
import { SYNTAX_CODES } from '@mintmark/identifier';
import {
  ApiExtraModels,
  ApiHeader,
  ApiResponse,
  ApiReturns,
  ApiTags,
  TEXT,
  getSchemaPath,
  textHeader,
} from '../../openapi/annotations.js';
import { ApiProblems, ApiProblemsOrPages, BODY_CODES } from '../../problem/api-problems.js';
import { problemDocument } from '../../problem/problem-document.dto.js';
import { Problem, malformed } from '../../problem/problem.js';
import { nativeText } from '../../registry/identifier-record.js';
import { ApiIdentifierParam, IDENTIFIER_POINTER, IdentifierDto } from '../representation/identifier.dto.js';
import { nextLink } from '../../http/headers/links.js';
import { IdentifierPresenter } from '../representation/identifier-presenter.js';
import {
  ChoicesDto,
  LookupResponseDto,
  LookupRequestDto,
  type LookupHintDto,
  type LookupResultDto,
  LinksetDto,
} from './lookup.dto.js';
import { NEXT_PAGE_HEADER } from '../../http/validation/page-query.dto.js';
import { IdentifierPageDto, ListQueryDto } from './list-query.dto.js';
import { type Found, LookupService } from '../../finding/lookup.service.js';
import { HTML, showChoices, showUnknown, RecordViews } from './record-presenter.js';
import { LINKSET } from '../../registry/typed-links.js';
import type { PageCursor, PageOrder } from '../../storage/identifiers/page-range.js';

/** A cursor of one order is invalid for the other order. */
const CURSOR_KINDS: Readonly<Record<PageOrder, CursorKind>> = {
  createdAt: 'identifiers',
  '-createdAt': 'identifiers, newest first',
};

const LOOKUP_PATH = '/identifiers/lookup';

const FEW_ITEMS = 10;

const ETAG = { ETag: textHeader('Entity tag of the representation.') };
const VARY = { Vary: textHeader('`Accept`, if the response depends on it.') };

@ApiTags('identifiers')
@Requires('read')
@Controller('identifiers')
export class LookupController {
  constructor(
    private readonly lookup: LookupService,
    private readonly finding: FindingService,
    private readonly presenter: IdentifierPresenter,
    private readonly views: RecordViews,
    private readonly cursors: Cursors,
    private readonly places: Places,
  ) {}

  /**
   * Find identifiers
   * @remarks Returns identifiers in order of minting, in pages. `metadataId` and `alternateId` accept any form. If a visible naming
   * authority has the `metadataIdScheme` "any", `metadataId` also finds identifiers that have exactly this text. The last page has
   * `next: null`. An earlier page can have fewer items than `limit`. A filter that no single index serves, such as `state` or two filters
   * together, fails with 400 `FILTER_TOO_BROAD` if a page would require comparing more than 21,000 identifiers; `GET /identifiers/export`
   * with the same filter returns all matches. At most four such lists are read at once; further requests wait for up to two seconds and
   * then fail with 503 `OVERLOADED`.
   */
  @Get()
  @ApiReturns(IdentifierPageDto, 'One page; empty if nothing matches.', NEXT_PAGE_HEADER)
  @ApiProblems('INVALID_REQUEST', 'INVALID_CURSOR', 'FILTER_TOO_BROAD', ...SYNTAX_CODES)
  async list(
    @ValidQuery() query: ListQueryDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<IdentifierPageDto> {
    const { limit, cursor, sort: order, total } = query;
    const after = () => (cursor === undefined ? undefined : this.positionOf(cursor, order));
    const holder = holderOf(request, reply);
    const command = { filter: query, limit, order, withTotal: total === true, holder, after };
    const page = await withQueryPointers(this.lookup.page(command, principal));
    const next = page.next === null ? null : this.cursorAfter(page.next, order);
    if (next !== null) {
      const [, sent = ''] = /\?(.*)/s.exec(request.originalUrl) ?? [];
      const parameters = new URLSearchParams(sent);
      parameters.set('cursor', next);
      void reply.headers(nextLink(`/identifiers?${parameters.toString()}`));
    }
    const items = page.records.map((record) => this.presenter.show(record));
    return { items, next, ...(page.total !== undefined && { total: page.total }) };
  }

  /**
   * Look up identifiers by text
   * @remarks Resolves up to 1,000 strings, in any form, to the identifiers that they denote. Each string is read as an identifier, a
   * metadata ID or an alternate identifier. If nothing matches, these readings are tried in order: without angle brackets, parentheses,
   * quotation marks and a final full stop; without the final slash of a URL; as a URL of this service (`/identifiers/NA/local` or
   * `/NA/local` at the host of the request or of the configured resolver); without zero-width characters and without blanks around the
   * slash; each name among the words of the string; as a bare GUID under the naming authorities that the client can see; and as a
   * registered target. A string that matches several identifiers equally well is `ambiguous`, with up to ten `candidates`. Withdrawn
   * identifiers are included. A string that matches nothing has a `reason`, and also a `hint` if its prefix belongs to this registry.
   */
  @Post('lookup')
  @OnlyReads()
  @LargeBody()
  @HttpCode(HttpStatus.OK)
  @ApiReturns(LookupResponseDto, 'One result for each text, in the order of the request.')
  @ApiProblems(...BODY_CODES)
  async findMany(
    @ValidBody() { items }: LookupRequestDto,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const isWanted = (): boolean => !reply.raw.closed;
    const results = this.finding.find({ items, ownHost: request.host, isWanted }, principal);
    // `Places` does not limit short look-ups, so that they do not wait for look-ups of the same client that a stalled primary delays.
    if (items.length <= FEW_ITEMS) await sendShortList(reply, 'items', this.responses(results));
    else await sendList(reply, 'items', this.responses(this.places.parts(holderOf(request, reply), results)));
  }

  /**
   * Get an identifier
   * @remarks Accepts `NA/GUID` in upper or lower case, with an unescaped or escaped slash, and every other form of the identifier
   * percent-encoded: `hdl:…`, `hdl://…`, `info:hdl/…`, and the URL at a resolver. A GUID alone, or another text of the UUID, finds the
   * identifier that has the GUID. If identifiers of several naming authorities have it, the status is 300. The response is an HTML page if
   * `Accept` names `text/html`, typed links (RFC 9264) if `Accept` names `application/linkset+json`, and JSON otherwise or if `Accept`
   * prefers JSON. Each representation has its own entity tag; `If-Match` of a change requires the entity tag of the JSON.
   */
  @Get(':identifier')
  @ApiIdentifierParam(undefined, 'A GUID alone finds the identifiers that have it.')
  @ApiHeader({
    name: 'Accept',
    required: false,
    description: `Send \`${HTML}\` for a page, or \`${LINKSET}\` for typed links; otherwise the response is JSON.`,
    ...TEXT,
  })
  @ApiIfMatch(false)
  @ApiIfNoneMatch()
  @ApiExtraModels(IdentifierDto, ChoicesDto, LinksetDto)
  @ApiResponse({
    status: 200,
    description: 'The identifier.',
    headers: {
      ...ETAG,
      Link: textHeader('Typed links of the FAIR Signposting profile, such as rel="cite-as" (RFC 8288).'),
      ...VARY,
    },
    content: {
      'application/json': { schema: { $ref: getSchemaPath(IdentifierDto) } },
      [HTML]: TEXT,
      [LINKSET]: { schema: { $ref: getSchemaPath(LinksetDto) } },
    },
  })
  @ApiResponse({
    status: 300,
    description: 'Several identifiers have this GUID.',
    headers: VARY,
    content: { 'application/json': { schema: { $ref: getSchemaPath(ChoicesDto) } }, [HTML]: TEXT },
  })
  @ApiResponse({
    status: 304,
    description: 'The representation has not changed.',
    headers: { ...ETAG, Link: textHeader('As in 200.'), ...VARY },
  })
  @ApiProblemsOrPages(
    [404, 410, 451],
    ...(['MALFORMED_URL', 'IDENTIFIER_NOT_FOUND', 'IDENTIFIER_WITHDRAWN', 'IDENTIFIER_BLOCKED'] as const),
    ...(['INVALID_PRECONDITION', 'PRECONDITION_FAILED'] as const),
    ...SYNTAX_CODES,
  )
  async find(
    @Param('identifier') identifier: string,
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<string | undefined> {
    void reply.header('vary', 'Accept');
    const type = namedType(request.headers.accept, [HTML, LINKSET]);
    let found: Found;
    try {
      found = await this.lookup.find(identifier, principal, IDENTIFIER_POINTER);
    } catch (error) {
      if (!(error instanceof Problem) || error.code !== 'IDENTIFIER_NOT_FOUND') throw error;
      const byGuid = await this.lookup.findByGuid(identifier, principal);
      if (byGuid === null) {
        if (type !== HTML) throw error;
        return showUnknown(identifier, await this.finding.hintFor(identifier, principal), reply);
      }
      if (!('record' in byGuid)) return showChoices(identifier, byGuid, type, reply);
      found = byGuid;
    }
    return this.views.show(found, type, { principal, request, reply });
  }

  /** Removes each result from its part. Otherwise, a suspended generator would keep the part while the stream waits (see `Places`). */
  private async *responses(parts: AsyncIterable<LookupResult[]>): AsyncGenerator<[LookupResultDto]> {
    let index = 0;
    for await (const results of parts)
      for (let result = results.shift(); result !== undefined; result = results.shift())
        yield [this.response(result, index++)];
  }

  private response(result: LookupResult, index: number): LookupResultDto {
    const { input, outcome, matchedBy, record, others, candidates, canonical, fault, reason, hint } = result;
    const shown: LookupResultDto = { input, outcome, matchedBy };
    if (record !== null) {
      shown.identifier = nativeText(record);
      shown.record = this.presenter.show(record);
    }
    if (others !== null) shown.others = [...others];
    if (candidates !== null) shown.candidates = [...candidates];
    if (canonical !== undefined) shown.canonical = canonical;
    if (reason !== null) shown.reason = reason;
    if (hint !== null) shown.hint = shownHint(hint);
    if (fault !== null) shown.problem = problemDocument(malformed(fault, `/items/${index}`), LOOKUP_PATH);
    return shown;
  }

  private cursorAfter({ createdAt, id }: PageCursor, order: PageOrder): string {
    return this.cursors.write(CURSOR_KINDS[order], [BigInt(createdAt.getTime()), id]);
  }

  private positionOf(cursor: string, order: PageOrder): PageCursor {
    const [time = 0n, id = 0n] = this.cursors.read(CURSOR_KINDS[order], 2, cursor).numbers;
    return { createdAt: new Date(Number(time)), id };
  }
}

function shownHint({ detail, offset, nearest }: Hint): LookupHintDto {
  return { detail, ...(offset !== null && { offset }), ...(nearest !== null && { nearest }) };
}
