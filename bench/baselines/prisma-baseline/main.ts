import 'reflect-metadata';
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from '../../../src/database/generated/client.js';
import { IdentifiersController } from './identifiers.controller.js';

const adapter = new PrismaPg({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });

@Module({
  controllers: [IdentifiersController],
  providers: [{ provide: PrismaClient, useValue: new PrismaClient({ adapter }) }],
})
class PrismaBaselineModule {}

const app = await NestFactory.create<NestFastifyApplication>(PrismaBaselineModule, new FastifyAdapter(), {
  logger: ['error'],
});
app.useGlobalPipes(new ValidationPipe({ whitelist: true, transform: true }));
await app.listen(Number(process.env.PORT), process.env.HOST ?? '127.0.0.1');
console.error(await app.getUrl());
