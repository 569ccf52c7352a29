import { once } from 'node:events';
import { type RequestListener, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from '@jest/globals';
import { BurstResponse } from '../../../src/http/server/burst-response.js';

const server = createServer({ ServerResponse: BurstResponse });

/** Sends one request to a server with this listener. */
async function respond(listener: RequestListener): Promise<string> {
  server.removeAllListeners('request').on('request', listener);
  if (!server.listening) await once(server.listen(0, '127.0.0.1'), 'listening');
  const request = get({ port: (server.address() as AddressInfo).port, agent: false });
  const [response] = await once(request, 'response');
  return text(response);
}

afterEach(() => {
  server.close().closeAllConnections();
});

describe('a response of a burst', () => {
  it('is ended at the end of the turn in which its request began', async () => {
    const ended: boolean[] = [];
    const body = await respond((_request, response) => {
      response.writeHead(200).end('sent');
      ended.push(response.headersSent, response.writableEnded);
      queueMicrotask(() => ended.push(response.writableEnded));
      setImmediate(() => ended.push(response.writableEnded));
    });
    expect(body).toBe('sent');
    expect(ended).toEqual([true, false, false, true]);
  });

  it('is ended at once in a later turn', async () => {
    const ended: boolean[] = [];
    const body = await respond((_request, response) => {
      setImmediate(() => {
        response.writeHead(200).end('sent');
        ended.push(response.writableEnded);
      });
    });
    expect(body).toBe('sent');
    expect(ended).toEqual([true]);
  });

  it('does not fail if the connection is closed in the same turn', async () => {
    const ended: boolean[] = [];
    const sent = respond((request, response) => {
      response.writeHead(200).end('not sent');
      request.socket.destroy();
      setImmediate(() => ended.push(response.writableEnded));
    });
    await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(ended).toEqual([true]);
  });
});
