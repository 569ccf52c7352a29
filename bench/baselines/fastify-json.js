/** Fastify alone: parses a request with its JSON body, and serializes a constant object. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const response = JSON.parse(readFileSync(process.env.RESPONSE_FILE, 'utf8'));
const app = Fastify({ bodyLimit: 16_777_216 });
app.post('/*', (_request, reply) => reply.send(response));
console.error(await app.listen({ host: process.env.HOST, port: Number(process.env.PORT) }));
