import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { PATH, input, total, withServer } from '../harness/bulk.js';
import type { TestServer } from '../harness/server.js';
import { openStream, sendLines } from '../harness/stream.js';

describe('the memory of a bulk', () => {
  const rss = (server: TestServer) =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.child.pid}/status`, 'utf8'))![1]) / 1024;

  // 200,000 lines and their results are some 250 MB: a service that stored them would exceed this heap.
  const heap = { NODE_OPTIONS: '--max-old-space-size=128' };

  it('stays bounded over 200,000 lines', async () => {
    await withServer(async (server, database) => {
      await sendLines(server.url + PATH, input(2000));
      const idle = rss(server);
      let highest = idle;
      const watch = setInterval(() => (highest = Math.max(highest, rss(server))), 100);
      const stream = openStream(server.url + PATH);
      const writing = (async () => {
        for (let from = 1; from <= 200_000; from += 1000) {
          if (!stream.request.write(input(1000, from))) await once(stream.request, 'drain');
        }
        stream.request.end();
      })();
      const start = performance.now();
      let answered = 0;
      for await (const chunk of await stream.response)
        answered += (chunk as Buffer).toString('latin1').split('\n').length - 1;
      await writing;
      clearInterval(watch);
      const seconds = (performance.now() - start) / 1000;
      process.stderr.write(
        `200,000 lines in ${seconds.toFixed(1)} s; ${Math.round(highest - idle)} MB above idle (${Math.round(idle)} MB)\n`,
      );
      expect(answered).toBe(200_000);
      expect(await total(database.url)).toBe(202_000);
      expect(highest - idle).toBeLessThan(150);
    }, heap);
  }, 400_000);

  it('does not continue to read while its response is not read', async () => {
    await withServer(async (server, database) => {
      const stream = openStream(server.url + PATH);
      const response = stream.response.then((each) => each.pause());
      let sent = 0;
      for (let from = 1; from <= 300_000; from += 1000) {
        sent += 1000;
        if (stream.request.write(input(1000, from))) continue;
        const drained = await Promise.race([once(stream.request, 'drain').then(() => true), pause(4000, false)]);
        if (!drained) break;
      }
      await response;
      expect(sent).toBeLessThan(300_000);
      // Chunks in flight end; then nothing changes any more.
      let held = -1;
      while (held !== (held = await total(database.url))) await pause(1500);
      expect(held).toBeLessThan(sent);
      stream.request.destroy();
    });
  });
});
