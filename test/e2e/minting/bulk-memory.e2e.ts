import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PATH, total, withServer } from '../harness/bulk.js';
import { type TestServer, startServer } from '../harness/server.js';
import { openStream, sendLines } from '../harness/stream.js';

describe('the memory of a bulk', () => {
  const rss = (server: TestServer) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) / 1024;

  // The lines and their results are more than 200 MB: a service that stored them would exceed this heap.
  const heap = { NODE_OPTIONS: '--max-old-space-size=128' };
  const long = `${JSON.stringify({ target: `https://repo.example.org/${'x'.repeat(1900)}` })}\n`;

  it('stays bounded over 40,000 long lines', async () => {
    await withServer(
      async (server, database) => {
        await sendLines(server.url + PATH, long.repeat(2000));
        const idle = rss(server);
        let highest = idle;
        const watch = setInterval(() => (highest = Math.max(highest, rss(server))), 100);
        const stream = openStream(server.url + PATH);
        const writing = (async () => {
          for (let sent = 0; sent < 40_000; sent += 500) {
            if (!stream.request.write(long.repeat(500))) await once(stream.request, 'drain');
          }
          stream.request.end();
        })();
        let [answered, bytes] = [0, 0];
        for await (const chunk of (await stream.response) as AsyncIterable<Buffer>) {
          answered += chunk.toString('latin1').split('\n').length - 1;
          bytes += chunk.length;
        }
        await writing;
        clearInterval(watch);
        expect(answered).toBe(40_000);
        expect(bytes).toBeGreaterThan(100_000_000);
        expect(await total(database.url)).toBe(42_000);
        expect(highest - idle).toBeLessThan(150);
      },
      heap,
      startServer,
    );
  }, 400_000);

  it('does not continue to read while its response is not read', async () => {
    await withServer(
      async (server, database) => {
        const stream = openStream(server.url + PATH);
        const response = stream.response.then((each) => each.pause());
        let sent = 0;
        while (sent < 100_000) {
          sent += 500;
          if (stream.request.write(long.repeat(500))) continue;
          const drained = await Promise.race([once(stream.request, 'drain').then(() => true), pause(3000, false)]);
          if (!drained) break;
        }
        await response;
        expect(sent).toBeLessThan(100_000);
        // Chunks in flight end; then nothing changes any more.
        let held = -1;
        while (held !== (held = await total(database.url))) await pause(1500);
        expect(held).toBeGreaterThan(0);
        expect(held).toBeLessThan(sent);
        stream.request.destroy();
      },
      { RESPONSE_SPOOL_BYTES: '4194304' },
    );
  });
});
