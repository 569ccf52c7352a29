import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicPage } from '../../access/requires.js';
import { matchesWeakly } from '../../http/headers/entity-tags.js';
import { ApiExcludeController } from '../../openapi/annotations.js';
import { Problem } from '../../problem/problem.js';
import { findDocument } from './document.js';

/** A cached document may be ten minutes old; the cache then revalidates it with its entity tag. */
const CACHE_CONTROL = 'public, max-age=600';

/** Serves the OpenAPI document, as JSON and as YAML, and Swagger UI. */
@PublicPage()
@ApiExcludeController()
@Controller()
export class DocumentsController {
  /** @throws Problem NOT_FOUND for a file that Swagger UI does not need. */
  @Get(['openapi.json', 'openapi.yaml', 'docs', 'docs/:file'])
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [path = '/'] = request.url.split('?', 1);
    const document = await findDocument(path);
    if (document === null) throw new Problem('NOT_FOUND', `Swagger UI has no file at ${path}.`);
    const { mediaType, octets, entityTag } = document;
    void reply.headers({ etag: entityTag, 'cache-control': CACHE_CONTROL });
    if (matchesWeakly(request.headers['if-none-match'], entityTag)) void reply.status(304).send();
    else void reply.type(mediaType).send(octets);
  }
}
