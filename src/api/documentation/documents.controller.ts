import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { SWAGGER_UI_SCRIPT, swaggerUiPage } from './swagger-ui-page.js';
import { Controller, Get, Req, Res, Param } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicPage } from '../../access/requires.js';
import { isStored } from '../../http/headers/entity-tags.js';
import { ApiExcludeController } from '../../openapi/annotations.js';
import { Problem } from '../../problem/problem.js';
import { CATALOGUE, PROBLEM_CODES, type ProblemCode, type ProblemKind } from '../../problem/catalogue.js';

interface Document {
  readonly mediaType: string;
  readonly bytes: Buffer;
  readonly entityTag: string;
}

const OPENAPI = new URL('../../../openapi/', import.meta.url);
const SWAGGER_UI = new URL(import.meta.resolve('swagger-ui-dist/package.json'));

const HTML = 'text/html; charset=utf-8';
const CSS = 'text/css; charset=utf-8';
const JAVASCRIPT = 'text/javascript; charset=utf-8';
const PNG = 'image/png';
const MARKDOWN = 'text/plain; charset=utf-8';

const SOURCES = new Map<string, readonly [mediaType: string, source: URL | string]>([
  ['/openapi.json', ['application/json; charset=utf-8', new URL('openapi.json', OPENAPI)]],
  ['/openapi.yaml', ['application/yaml; charset=utf-8', new URL('openapi.yaml', OPENAPI)]],
  ['/docs/tutorial.md', [MARKDOWN, new URL('../../../docs/tutorial.md', import.meta.url)]],
  ['/docs', [HTML, swaggerUiPage('./docs/')]],
  ['/docs/', [HTML, swaggerUiPage('./')]],
  ['/docs/index.html', [HTML, swaggerUiPage('./')]],
  ['/docs/swagger-ui-init.js', [JAVASCRIPT, SWAGGER_UI_SCRIPT]],
  ['/docs/swagger-ui-bundle.js', [JAVASCRIPT, new URL('swagger-ui-bundle.js', SWAGGER_UI)]],
  ['/docs/swagger-ui.css', [CSS, new URL('swagger-ui.css', SWAGGER_UI)]],
  ['/docs/index.css', [CSS, new URL('index.css', SWAGGER_UI)]],
  ['/docs/favicon-16x16.png', [PNG, new URL('favicon-16x16.png', SWAGGER_UI)]],
  ['/docs/favicon-32x32.png', [PNG, new URL('favicon-32x32.png', SWAGGER_UI)]],
]);

const loaded = new Map<string, Promise<Document>>();

async function findDocument(path: string): Promise<Document | null> {
  const [mediaType, source] = SOURCES.get(path) ?? [];
  if (mediaType === undefined || source === undefined) return null;
  let document = loaded.get(path);
  if (document === undefined) {
    document = load(mediaType, source);
    loaded.set(path, document);
    // The next request repeats a failed read.
    document.catch(() => loaded.delete(path));
  }
  return document;
}

async function load(mediaType: string, source: URL | string): Promise<Document> {
  const bytes = typeof source === 'string' ? Buffer.from(source) : await readFile(source);
  return { mediaType, bytes, entityTag: `"${createHash('sha256').update(bytes).digest('base64url')}"` };
}

const CACHE_CONTROL = 'public, max-age=600';

@PublicPage()
@ApiExcludeController()
@Controller()
export class DocumentsController {
  @Get(['openapi.json', 'openapi.yaml', 'docs', 'docs/:file'])
  async send(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const [path = '/'] = request.url.split('?', 1);
    const document = await findDocument(path);
    if (document === null) throw new Problem('NOT_FOUND', `Swagger UI has no file at ${path}.`);
    const { mediaType, bytes, entityTag } = document;
    const isKnown = isStored({ request, reply }, { etag: entityTag, 'cache-control': CACHE_CONTROL });
    if (isKnown) void reply.send();
    else void reply.type(mediaType).send(bytes);
  }
}

/** Makes the `type` of every problem document resolvable (RFC 9457 3.1.1). */
@PublicPage()
@ApiExcludeController()
@Controller('problems')
export class ProblemsController {
  @Get()
  list(): ({ code: ProblemCode } & ProblemKind)[] {
    return PROBLEM_CODES.map((code) => ({ code, ...CATALOGUE[code] }));
  }

  @Get(':code')
  one(@Param('code') code: string): { code: ProblemCode } & ProblemKind {
    const found = PROBLEM_CODES.find((known) => known === code);
    if (found === undefined) throw new Problem('NOT_FOUND', `The problem code "${code}" does not exist.`);
    return { code: found, ...CATALOGUE[found] };
  }
}
