/** A mint without NestJS: Fastify, one prepared INSERT for each request, and no validation. */
import { createHash, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { AUTHORITY, ONE_GIVEN } from '../rows.js';

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: Number(process.env.POOL_SIZE) });
const app = Fastify();

const sha256 = (text) => createHash('sha256').update(text).digest('hex').slice(0, 32);

app.post('/identifiers', async ({ body, headers }, reply) => {
  const { metadataId = null, target = null } = body;
  const guid = randomUUID();
  const key = headers['idempotency-key'] ?? randomUUID();
  const metadataKey = metadataId === null ? null : sha256(metadataId);
  const values = [guid, metadataId, metadataKey, target, key, sha256(JSON.stringify(body))];
  await pool.query({ name: 'mint', text: ONE_GIVEN, values });
  const identifier = `${AUTHORITY}/${guid.replaceAll('-', '').toUpperCase()}`;
  return reply.code(201).header('location', `/identifiers/${identifier}`).send({ identifier, metadataId, target });
});

// The server is ready only after the database has responded.
await pool.query('SELECT 1');
console.error(await app.listen({ host: process.env.HOST, port: Number(process.env.PORT) }));
