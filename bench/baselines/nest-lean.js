/**
 * The leanest look-up with NestJS: NestJS on Fastify with one guard, the coalesced statement of the service, and the JSON of the service
 * without its headers. Decorators are called as functions, so that the file needs no compiler.
 */
import 'reflect-metadata';
import { Controller, Get, Header, Module, NotFoundException, Param, UseGuards } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { DEFAULT_RESOLVER, urisOf } from '@mintmark/identifier';
import pg from 'pg';
import { parse } from 'postgres-array';
import { identifierOf, serializeRecord } from '../../dist/registry/identifier-record.js';
import { CoalescedReader } from '../../dist/storage/identifiers/coalesced-reader.js';

// As in the service.
pg.types.setTypeParser(1009, (text) => parse(text));
// As in the hot pool of the service: six sessions with generic plans.
const options = '-c plan_cache_mode=force_generic_plan';
const reader = new CoalescedReader(new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 6, options }));

class OpenGuard {
  canActivate() {
    return true;
  }
}

class Lookups {
  async find(namingAuthority, guid) {
    const record = await reader.find({ namingAuthority, guid, localKey: null });
    if (record === null) throw new NotFoundException();
    return JSON.stringify(serializeRecord(record, urisOf(identifierOf(record), { resolver: DEFAULT_RESOLVER })));
  }
}

const find = Object.getOwnPropertyDescriptor(Lookups.prototype, 'find');
Controller('identifiers')(Lookups);
UseGuards(new OpenGuard())(Lookups);
Get(':namingAuthority/:guid')(Lookups.prototype, 'find', find);
Header('content-type', 'application/json; charset=utf-8')(Lookups.prototype, 'find', find);
Param('namingAuthority')(Lookups.prototype, 'find', 0);
Param('guid')(Lookups.prototype, 'find', 1);

function Root() {}
Module({ controllers: [Lookups] })(Root);

const app = await NestFactory.create(Root, new FastifyAdapter(), { logger: ['error'] });
await app.listen(Number(process.env.PORT), process.env.HOST);
console.error(await app.getUrl());
