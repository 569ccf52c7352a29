import { Controller, Get, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Public } from '../../access/requires.js';
import { ApiExcludeController } from '../../openapi/annotations.js';

/** An icon of 32 pixels, a PNG in the format ICO: the letter M in the color of links. */
export const FAVICON = Buffer.from(
  [
    'AAABAAEAICAAAAEAIAC7AAAAFgAAAIlQTkcNChoKAAAADUlIRFIAAAAgAAAAIAgGAAAAc3p69AAAAIJJREFUeNpjYMABuP03/6cmZiAGUNtSkh',
    'xDL8uxOoLelmM4YmQ7YKAshztiUDsAHRBrKCn6hpYDiHEEqXqGngPwGUiqerIdgM1QUtRSxQHIBhOrbug7gFjLaF4OkBoiNCmIyJUbPg4YmXXB',
    'yHPAyGgRjbaKB4UDBrxrNig6pwPVPQcAVjMaqKiXR+YAAAAASUVORK5CYII=',
  ].join(''),
  'base64',
);

export const IS_READ_PUBLIC = Symbol('IS_READ_PUBLIC');

const CACHE_CONTROL = 'public, max-age=86400';

/** Rules for crawlers (RFC 9309): they may read record pages and redirects, but not lists, exports, histories, the log, or Handle APIs. */
const ROBOTS = [
  ...['User-agent: *', 'Disallow: /identifiers?', 'Disallow: /identifiers/export', 'Disallow: /identifiers/*/history'],
  ...['Disallow: /events', 'Disallow: /api/', 'Disallow: /hdlresolver/', 'Disallow: /hrls/', 'Disallow: /docs'],
];

const NO_ROBOTS = ['User-agent: *', 'Disallow: /'];

/** Serves the files that browsers and crawlers request from every site. */
@Public()
@ApiExcludeController()
@Controller()
export class SiteController {
  constructor(@Inject(IS_READ_PUBLIC) private readonly isReadPublic: boolean) {}

  @Get('favicon.ico')
  favicon(@Res() reply: FastifyReply): void {
    void reply.headers({ 'cache-control': CACHE_CONTROL, 'content-type': 'image/vnd.microsoft.icon' }).send(FAVICON);
  }

  @Get('robots.txt')
  robots(@Res() reply: FastifyReply): void {
    const lines = this.isReadPublic ? ROBOTS : NO_ROBOTS;
    const headers = { 'cache-control': CACHE_CONTROL, 'content-type': 'text/plain; charset=utf-8' };
    void reply.headers(headers).send(`${lines.join('\n')}\n`);
  }
}
