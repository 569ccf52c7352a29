import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Server, createServer, get } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { BurstResponse } from '../../../src/http/server/burst-response.js';

describe('the response of a burst', () => {
  let server: Server;
  const waiting: BurstResponse[] = [];

  beforeAll(async () => {
    server = createServer({ ServerResponse: BurstResponse }, (_request, response) => {
      waiting.push(response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterAll(() => {
    server.close().closeAllConnections();
  });

  const bodyOf = async (): Promise<string> => {
    const { port } = server.address() as AddressInfo;
    const [response] = await once(get({ port, agent: false }), 'response');
    return text(response);
  };

  it('is written after the other callbacks of the turn, with those of other clients', async () => {
    const bodies = [bodyOf(), bodyOf()];
    while (waiting.length < 2) await new Promise(setImmediate);
    const [first, second] = waiting.splice(0);
    first?.writeHead(200, { 'content-type': 'text/plain' });
    first?.end('first');
    expect(first?.headersSent).toBe(true);
    expect(first?.writableEnded).toBe(false);
    await Promise.resolve();
    second?.end('second');
    expect(first?.writableEnded).toBe(false);
    await new Promise(setImmediate);
    expect(first?.writableEnded).toBe(true);
    expect(second?.writableEnded).toBe(true);
    await expect(Promise.all(bodies)).resolves.toEqual(expect.arrayContaining(['first', 'second']));
  });

  it('does not fail for a client that closed its connection in the same turn', async () => {
    const request = get({ port: (server.address() as AddressInfo).port, agent: false });
    request.on('error', () => undefined);
    while (waiting.length < 1) await new Promise(setImmediate);
    const [response] = waiting.splice(0);
    response?.end('too late');
    request.destroy();
    response?.socket?.destroy();
    await once(response!, 'close');
    expect(response?.writableFinished).toBe(false);
  });
});
