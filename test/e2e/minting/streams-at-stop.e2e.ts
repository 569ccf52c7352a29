import { describe, expect, it } from '@jest/globals';
import { PATH, input, total, withServer } from '../harness/bulk.js';
import { CHANGES, mintMany, ndjson } from '../harness/changes.js';
import { Client } from '../harness/client.js';
import { freshGuid } from '../harness/fresh-names.js';
import { openStream } from '../harness/stream.js';

const CSV_HEAD = 'identifier,state,version,createdAt,updatedAt\r\n';
const csvRow = () => `100.102/${freshGuid()},active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z\r\n`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('on SIGTERM', () => {
  it.each([0, 1])('a bulk whose body has arrived completely is finished (%i)', async (chunked) => {
    await withServer(async (server, database) => {
      const count = 3000;
      const body = input(count);
      const length: Record<string, string> = chunked === 1 ? {} : { 'content-length': String(body.length) };
      const stream = openStream(server.url + PATH, length);
      stream.request.end(body);
      const lines = [(await stream.lines.next()).value];
      const stopped = server.stop('SIGTERM');
      for await (const line of stream.lines) lines.push(line);
      expect(lines.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(lines.map(({ line }) => line)).toEqual(numbers(count));
      expect(await stopped).toEqual({ code: 0, signal: null });
      expect(await total(database.url)).toBe(count);
    });
  });

  it('an import of CSV whose body has arrived completely is finished', async () => {
    await withServer(async (server, database) => {
      const count = 2000;
      const stream = openStream(`${server.url}/identifiers/import`, { 'content-type': 'text/csv' });
      stream.request.end(CSV_HEAD + numbers(count).map(csvRow).join(''));
      const lines = [(await stream.lines.next()).value];
      const stopped = server.stop('SIGTERM');
      for await (const line of stream.lines) lines.push(line);
      expect(lines.filter(({ problem }) => problem !== undefined)).toEqual([]);
      expect(lines).toHaveLength(count);
      expect(await stopped).toEqual({ code: 0, signal: null });
      expect(await total(database.url)).toBe(count);
    });
  });

  it('an import of CSV whose body is still open ends with SHUTTING_DOWN after the rows that have arrived', async () => {
    await withServer(async (server) => {
      const stream = openStream(`${server.url}/identifiers/import`, { 'content-type': 'text/csv' });
      stream.request.write(CSV_HEAD + numbers(700).map(csvRow).join(''));
      const lines = [(await stream.lines.next()).value];
      const stopped = server.stop('SIGTERM');
      for await (const line of stream.lines) lines.push(line);
      const last = lines.pop();
      // The parser returns the last row when it sees the next one. The head is line 1.
      expect([699, 700]).toContain(lines.length);
      expect(lines.map(({ status }) => status)).toEqual(lines.map(() => 201));
      expect(last).toMatchObject({ line: lines.length + 2, status: 503, problem: { code: 'SHUTTING_DOWN' } });
      stream.request.end();
      expect((await stopped).code).toBe(0);
    });
  });

  it('a stream of changes is finished when its body has arrived, and otherwise ends after its whole chunks', async () => {
    for (const isWhole of [true, false]) {
      await withServer(async (server) => {
        const ids = await mintMany(
          new Client(server.url),
          Array.from({ length: 1050 }, () => ({})),
        );
        const body = ndjson(...ids.map((identifier) => ({ identifier, target: 'https://repo.example.org/1' })));
        const stream = openStream(server.url + CHANGES);
        if (isWhole) stream.request.end(body);
        else stream.request.write(body);
        const lines = [(await stream.lines.next()).value];
        const stopped = server.stop('SIGTERM');
        for await (const line of stream.lines) lines.push(line);
        const changed = lines.filter(({ outcome }) => outcome === 'changed');
        expect(changed.map(({ line }) => line)).toEqual(numbers(isWhole ? 1050 : 1000));
        expect(lines.slice(changed.length)).toMatchObject(
          isWhole ? [] : [{ line: 1001, status: 503, problem: { code: 'SHUTTING_DOWN' } }],
        );
        stream.request.end();
        expect((await stopped).code).toBe(0);
      });
    }
  });

  it('an endless body is read for half of the time of the stop, and every returned line is durable', async () => {
    await withServer(
      async (server, database) => {
        const stream = openStream(server.url + PATH);
        let from = 1;
        const sending = setInterval(() => {
          stream.request.write(input(10, from));
          from += 10;
        }, 20);
        const lines = [(await stream.lines.next()).value];
        const stopped = server.stop('SIGTERM');
        for await (const line of stream.lines) if (lines.push(line) > 0 && line.problem !== undefined) break;
        clearInterval(sending);
        const last = lines.pop();
        expect(last).toMatchObject({ line: lines.length + 1, status: 503, problem: { code: 'SHUTTING_DOWN' } });
        expect(lines.map(({ line }) => line)).toEqual(numbers(lines.length));
        stream.request.end();
        expect((await stopped).code).toBe(0);
        expect(await total(database.url)).toBe(lines.length);
      },
      { SHUTDOWN_TIMEOUT_MS: '6000' },
    );
  });
});
