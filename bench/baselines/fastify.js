/** The least that answers HTTP in this ecosystem: reads a request, JSON body included, and sends a text that is ready. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const answer = readFileSync(process.env.ANSWER_FILE, 'utf8');
const app = Fastify({ bodyLimit: 16_777_216 });
app.get('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));
app.post('/*', (_request, reply) => reply.type('application/json; charset=utf-8').send(answer));
console.error(await app.listen({ host: process.env.HOST, port: Number(process.env.PORT) }));
