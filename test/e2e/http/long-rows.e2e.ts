import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { linesIn } from '../harness/changes.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useService } from '../harness/service.js';

const service = useService();
const PIECE = Buffer.alloc(1_048_576, ',');
const rss = () =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.server.child.pid}/status`, 'utf8'))![1]) / 1024;

/** Sends a file whose last row is 110 MiB of commas. @returns the response and the largest memory in MiB above that before. */
async function sendCommas(path: string, head: string): Promise<{ text: string; grown: number }> {
  const before = rss();
  let grown = 0;
  const watch = setInterval(() => (grown = Math.max(grown, rss() - before)), 50);
  const sending = request(`${service.server.url}${path}`, { method: 'POST', headers: { 'content-type': 'text/csv' } });
  // The service may close the connection before all of it has arrived.
  sending.on('error', () => {});
  const answer = { isOver: false, goOn: (): void => {} };
  const text = new Promise<string>((resolve, reject) => {
    sending.once('response', (response) => {
      let received = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (received += piece));
      response.once('close', () => {
        answer.isOver = true;
        resolve(received);
        answer.goOn();
      });
      response.once('error', reject);
    });
  });
  sending.write(head);
  for (const event of ['drain', 'close']) {
    sending.on(event, () => {
      answer.goOn();
    });
  }
  for (let n = 0; n < 110 && !answer.isOver && !sending.destroyed; n++)
    if (!sending.write(PIECE)) await new Promise<void>((resolve) => (answer.goOn = resolve));
  if (!answer.isOver) sending.end();
  const received = await text;
  sending.destroy();
  clearInterval(watch);
  return { text: received, grown };
}

describe('a row of CSV of 110 MiB', () => {
  it.each(['/identifiers/changes', '/identifiers/import'])(
    'sent to %s ends the stream with its line, and takes no memory',
    async (path) => {
      const { identifier } = (await service.client.mint({ guid: freshGuid() })).body;
      const { text, grown } = await sendCommas(path, `identifier,target\n${identifier},\n`);
      const lines = linesIn(text);
      expect(lines.map(({ line, status }) => [line, status])).toEqual([
        [2, 200],
        [3, 413],
      ]);
      const { code, detail } = lines.at(-1).problem;
      expect(code).toBe('BODY_TOO_LARGE');
      expect(detail).toContain('The row that begins in line 3 is longer than 262144 bytes');
      expect(grown).toBeLessThan(80);
      expect((await service.client.get('/health/ready')).status).toBe(200);
    },
  );

  it.each(['/identifiers/changes', '/identifiers/import'])('as the header of %s is 400', async (path) => {
    const { text, grown } = await sendCommas(path, 'identifier');
    expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'INVALID_REQUEST' });
    expect(grown).toBeLessThan(80);
  });
});
