/** Fastify alone: parses a request with its JSON body, and sends a constant text. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const response = readFileSync(process.env.RESPONSE_FILE, 'utf8');
const app = Fastify({ bodyLimit: 16_777_216 });
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(response));
app.post('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(response));
console.error(await app.listen({ host: process.env.HOST, port: Number(process.env.PORT) }));
