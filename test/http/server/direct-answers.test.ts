import { once } from 'node:events';
import { type IncomingMessage, type ServerResponse, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, jest } from '@jest/globals';
import { type DirectAnswer, DirectAnswers, type DirectRules } from '../../../src/http/server/direct-answers.js';

const ANSWER: DirectAnswer = { status: 302, headers: ['location', 'https://a.example/'], body: 'moved', octets: 5 };
const REQUEST = { method: 'GET', httpVersion: '1.1', headers: { host: 'a' }, rawHeaders: ['Host', 'a'] };

/** Sends a request to a server with one direct answer. @returns who answered, and what was counted. */
async function answered(
  answer: () => DirectAnswer | null | Promise<DirectAnswer | null>,
  rules: Partial<DirectRules> = {},
  headers: Record<string, string> | readonly string[] = {},
) {
  const counts = { left: 0, undone: 0, answered: 0 };
  const direct = new DirectAnswers(
    { pattern: '/{handle}', read: ({ url }) => (url === '/known' ? answer : null) },
    {
      isServed: () => true,
      admit: () => ({ headers: ['x-limit', '1'], leave: () => counts.left++, undo: () => counts.undone++ }),
      requestId: () => 'id',
      answered: () => counts.answered++,
      ...rules,
    },
  );
  const server = createServer((request, response) => {
    const handOver = (): void => {
      response.end('framework');
    };
    if (!direct.take(request, response, handOver)) handOver();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const [response] = (await once(
    get({ port, host: '127.0.0.1', path: '/known', headers, agent: false }),
    'response',
  )) as [IncomingMessage];
  let text = '';
  for await (const chunk of response.setEncoding('latin1')) text += String(chunk);
  server.close();
  return { text, headers: response.headers, counts };
}

describe('a request', () => {
  it('has the direct answer, now or later, and is counted once', async () => {
    for (const answer of [() => ANSWER, () => Promise.resolve(ANSWER)]) {
      const { text, headers, counts } = await answered(answer);
      expect([text, headers.location, headers['x-request-id'], headers['x-limit']]).toEqual([
        ...['moved', 'https://a.example/', 'id', '1'],
      ]);
      expect(counts).toEqual({ left: 1, undone: 0, answered: 1 });
    }
  });

  it('is handled by the framework, without being counted, when it has no direct answer', async () => {
    const fail = (): never => {
      throw new Error('a stored time');
    };
    for (const answer of [() => null, () => Promise.resolve(null), () => Promise.reject(new Error('x')), fail]) {
      const { text, counts } = await answered(answer);
      expect([text, counts]).toEqual(['framework', { left: 0, undone: 1, answered: 0 }]);
    }
  });

  it('is handled by the framework when it has two Host fields', async () => {
    expect((await answered(() => ANSWER, {}, ['Host', 'a.example', 'host', 'b.example'])).text).toBe('framework');
  });

  it('is handed over once when its direct answer takes too long', async () => {
    jest.useFakeTimers();
    try {
      let answer: (found: DirectAnswer) => void = () => {};
      const late = new Promise<DirectAnswer>((resolve) => (answer = resolve));
      const undo = jest.fn();
      const direct = new DirectAnswers(
        { pattern: '/', read: () => () => late },
        {
          isServed: () => true,
          admit: () => ({ headers: [], leave: () => {}, undo }),
          requestId: () => 'id',
          answered: () => {},
        },
      );
      const request = { ...REQUEST } as IncomingMessage;
      const handOver = jest.fn();
      expect(direct.take(request, { socket: {}, closed: false } as ServerResponse, handOver)).toBe(true);
      await jest.advanceTimersByTimeAsync(11_000);
      expect(handOver).not.toHaveBeenCalled();
      await jest.advanceTimersByTimeAsync(2000);
      answer(ANSWER);
      await jest.advanceTimersByTimeAsync(0);
      expect([undo.mock.calls.length, handOver.mock.calls.length]).toEqual([1, 1]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('is neither answered nor handed over when its client has gone, and is counted once', async () => {
    const counts = { left: 0, undone: 0 };
    const direct = new DirectAnswers(
      { pattern: '/', read: () => () => Promise.resolve(null) },
      {
        isServed: () => true,
        admit: () => ({ headers: [], leave: () => counts.left++, undo: () => counts.undone++ }),
        requestId: () => 'id',
        answered: () => {},
      },
    );
    const request = { ...REQUEST } as IncomingMessage;
    const response = { socket: {}, closed: true } as ServerResponse;
    const handOver = jest.fn();
    expect(direct.take(request, response, handOver)).toBe(true);
    await new Promise(setImmediate);
    expect([counts, handOver.mock.calls]).toEqual([{ left: 1, undone: 0 }, []]);
  });

  it.each([
    ['the service does not serve it', { isServed: () => false }, {}],
    ['its client is over a limit', { admit: () => null }, {}],
    ['it has a key', {}, { authorization: 'Bearer x' }],
    ['it is part of a trace', {}, { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }],
    ['it has a body', {}, { 'content-length': '0' }],
    ['it expects 100 Continue', {}, { expect: '100-continue' }],
  ])('is handled by the framework when %s', async (_, rules, headers) => {
    const { text, counts } = await answered(() => ANSWER, rules, headers);
    expect([text, counts]).toEqual(['framework', { left: 0, undone: 0, answered: 0 }]);
  });
});
