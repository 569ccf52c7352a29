import { Agent, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from '@jest/globals';
import { fastify } from 'fastify';
import { sendStream } from '../../../src/http/body/send-stream.js';
import { watchClientErrors } from '../../../src/http/server/client-errors.js';

it('releases the results of a stream while its connection stays open', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const server = fastify({ forceCloseConnections: true });
  let sent: WeakRef<object[]> | undefined;
  async function* pieces(results: readonly object[]): AsyncGenerator<string> {
    for (const result of results) {
      await pause(1);
      yield JSON.stringify(result);
    }
  }
  watchClientErrors(server);
  server.get('/', (request, reply) => {
    const results = [{}, {}];
    sent = new WeakRef(results);
    sendStream(request, reply, pieces(results));
  });
  await server.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  const { port } = server.server.address() as AddressInfo;
  await new Promise<void>((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, agent }, (response) => response.resume().on('end', resolve));
    request.on('error', reject);
  });
  for (let rounds = 0; rounds < 20 && sent?.deref() !== undefined; rounds += 1) {
    await pause(10);
    collectGarbage();
  }
  const open = Object.keys(agent.freeSockets);
  agent.destroy();
  await server.close();
  expect(open).toHaveLength(1);
  expect(sent).toBeDefined();
  expect(sent?.deref()).toBeUndefined();
});
