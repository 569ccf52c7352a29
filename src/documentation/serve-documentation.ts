import { ForbiddenException, HttpException, type INestApplication, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { openApiDocument } from './openapi-document.js';

/** Where the document is, and Swagger UI. */
const PATHS = ['/openapi.json', '/openapi.yaml', '/docs', '/docs/', '/docs/*'];

/** Headers of an answer that belong to its connection. */
const OF_CONNECTION = ['connection', 'date', 'keep-alive', 'transfer-encoding'];

/**
 * Serves the OpenAPI document at `/openapi.json` and `/openapi.yaml`, and Swagger UI from the package's own files at `/docs`.
 * An application of its own answers, which is made by the first request: few processes are ever asked.
 */
export function serveDocumentation(app: NestFastifyApplication): void {
  let made: Promise<NestFastifyApplication> | undefined;
  const answer = async ({ url, headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    // A path that leads upwards would be followed before it is handed on.
    if (new URL(url, 'http://localhost').pathname !== url.split('?', 1)[0]) throw new ForbiddenException();
    const documentation = await (made ??= makeDocumentation(app));
    // HEAD too: of a whole answer, its length is known.
    const found = await documentation.inject({ method: 'GET', url, headers });
    if (found.statusCode >= 400) throw new HttpException(found.json<{ message: string }>().message, found.statusCode);
    for (const name of OF_CONNECTION) Reflect.deleteProperty(found.headers, name);
    return reply
      .status(found.statusCode)
      .headers(found.headers)
      .send(found.statusCode === 304 ? undefined : found.rawPayload);
  };
  for (const path of PATHS) app.getHttpAdapter().getInstance().get(path, answer);
}

async function makeDocumentation(app: INestApplication): Promise<NestFastifyApplication> {
  const { SwaggerModule } = await import('@nestjs/swagger');
  const document = await openApiDocument(app);
  const documentation = await NestFactory.create<NestFastifyApplication>(Documentation, new FastifyAdapter(), {
    logger: false,
  });
  SwaggerModule.setup('docs', documentation, document, {
    jsonDocumentUrl: 'openapi.json',
    yamlDocumentUrl: 'openapi.yaml',
    customSiteTitle: 'Mintmark API',
    // Its badge would be an image of another host.
    swaggerOptions: { validatorUrl: null },
  });
  return documentation.init();
}

@Module({})
class Documentation {}
