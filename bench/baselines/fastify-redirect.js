/** Fastify alone: every GET returns the response in a file, with its status, headers and body. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const { status, headers, body } = JSON.parse(readFileSync(process.env.RESPONSE_FILE, 'utf8'));
const app = Fastify();
app.get('/*', (_request, reply) => reply.code(status).headers(headers).send(body));
console.error(await app.listen({ host: process.env.HOST, port: Number(process.env.PORT) }));
