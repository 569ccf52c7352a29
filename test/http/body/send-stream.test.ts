import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { dropStreamsOfHead, sendStream } from '../../../src/http/body/send-stream.js';

/** A server whose response has a thousand pieces, and how many of them were read. */
function serverOfPieces() {
  const read = { pieces: 0 };
  const server = fastify();
  dropStreamsOfHead(server);
  server.get('/', (request, reply) => {
    async function* pieces() {
      for (let i = 0; i < 1000; i++) {
        read.pieces += 1;
        yield await Promise.resolve('x');
      }
    }
    sendStream(request, reply.type('text/plain'), pieces());
  });
  return { server, read };
}

describe('a response that is sent in pieces', () => {
  it('is read to its end for GET', async () => {
    const { server, read } = serverOfPieces();
    expect((await server.inject('/')).body).toBe('x'.repeat(1000));
    expect(read.pieces).toBe(1000);
  });

  it('is not read for HEAD, which has the same headers without a length', async () => {
    const { server, read } = serverOfPieces();
    const { statusCode, headers, body } = await server.inject({ method: 'HEAD', url: '/' });
    await pause(20);
    expect([statusCode, headers['content-type'], headers['content-length'], body]).toEqual([
      200,
      'text/plain',
      undefined,
      '',
    ]);
    expect(read.pieces).toBe(0);
  });
});
