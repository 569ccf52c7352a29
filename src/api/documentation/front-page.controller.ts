import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublicPage } from '../../access/requires.js';
import { ownOrigin } from '../../http/headers/request-headers.js';
import { securityHeaders } from '../../http/server/security-headers.js';
import { ApiExcludeController } from '../../openapi/annotations.js';
import { PAGE_CONTENT_SECURITY_POLICY, frontPage } from '../../record-page/index.js';

export const HAS_RESOLVER = Symbol('HAS_RESOLVER');

/** A short page for people who open the base URL of the service in a browser. */
@PublicPage()
@ApiExcludeController()
@Controller()
export class FrontPageController {
  constructor(@Inject(HAS_RESOLVER) private readonly hasResolver: boolean) {}

  @Get()
  show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    void reply
      .type('text/html; charset=utf-8')
      .headers(securityHeaders(PAGE_CONTENT_SECURITY_POLICY))
      .send(frontPage(ownOrigin(request) ?? `${request.protocol}://localhost:3000`, this.hasResolver));
  }
}
