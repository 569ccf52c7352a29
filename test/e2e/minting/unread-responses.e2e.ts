import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { PATH, total, withServer } from '../harness/bulk.js';
import type { TestServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const SCRIPT = fileURLToPath(new URL('../harness/send_first.py', import.meta.url));
const hasPython = spawnSync('python3', ['--version']).status === 0;
const ifPython = hasPython ? it : it.skip;

const service = useService();

/** Requests with this number of short lines are larger than the buffers between two sockets. */
const COUNT = 50_000;
const LINE = `${JSON.stringify({ target: `https://repo.example.org/${'x'.repeat(1900)}` })}\n`;

/** Lines whose results are larger than the buffers, too. */
const LONG = 10_000;

/** A client that does not read until the test requests it. */
async function sendUnread(server: TestServer, body: string, headers = ''): Promise<Socket> {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  socket.on('error', () => {});
  socket.write(
    `POST ${PATH} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: application/x-ndjson\r\n`,
  );
  socket.write(`${headers}content-length: ${body.length}\r\n\r\n${body}`);
  return socket;
}

describe('a client that sends its whole request before it reads the response', () => {
  ifPython(`Python's urllib gets ${COUNT} minimal lines (needs Python 3)`, async () => {
    const { stdout } = await promisify(execFile)('python3', [SCRIPT, service.server.url + PATH, String(COUNT)]);
    expect(JSON.parse(stdout)).toEqual({
      applied: 'return=minimal',
      'in order': true,
      statuses: [201],
      identifiers: COUNT,
    });
  });

  it('gets whole representations too, as long as they fit in the spool', async () => {
    const socket = await sendUnread(service.server, LINE.repeat(LONG));
    while (socket.writableLength > 0) await pause(50);
    let bytes = 0;
    let text = '';
    for await (const chunk of socket as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      text += chunk.toString('latin1');
    }
    expect(text.match(/"status":201/g)?.length).toBe(LONG);
    // More than the buffers of the system, so that the service held the rest.
    expect(bytes).toBeGreaterThan(24_000_000);
  });
});

describe('the spool of response bytes', () => {
  it('stops the reading of requests when it is full, and streams with active readers continue', async () => {
    await withServer(
      async (server, database) => {
        const unread = await Promise.all(
          [1, 2, 3].map((n) => sendUnread(server, LINE.repeat(LONG), `x-request-id: unread-${n}\r\n`)),
        );
        let held = -1;
        while (held !== (held = await total(database.url))) await pause(500);
        expect(held).toBeGreaterThan(0);
        expect(held).toBeLessThan(2 * LONG);
        const results = await sendLines(server.url + PATH, LINE.repeat(1000));
        expect(results.map(({ status }) => status)).toEqual(Array(1000).fill(201));
        // Clients that do not read are disconnected, and the log has the request id of each.
        const cut = () =>
          server
            .stdout()
            .split('\n')
            .filter((line) => line.includes('"level":"warn"') || line.includes('"level":40'))
            .map((line) => JSON.parse(line) as { reqId?: string; url?: string })
            .filter(({ reqId }) => reqId?.startsWith('unread-'));
        for (let i = 0; i < 200 && cut().length < 3; i++) await pause(100);
        expect(
          cut()
            .map(({ reqId }) => reqId)
            .sort(),
        ).toEqual(['unread-1', 'unread-2', 'unread-3']);
        expect(cut()[0]!.url).toBe('/identifiers/bulk');
        for (const socket of unread) socket.destroy();
      },
      { RESPONSE_SPOOL_BYTES: '1048576', REQUEST_TIMEOUT_MS: '4000' },
    );
  });
});
