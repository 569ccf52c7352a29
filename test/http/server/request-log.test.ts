import { EventEmitter } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import { sendStream } from '../../../src/http/body/send-stream.js';
import { HttpInterfaces } from '../../../src/http/http-interface.js';
import { RequestLog } from '../../../src/http/server/request-log.js';

const KEY = 'wrong-horse-battery-staple-wrong-horse-wrong';
const interfaces = new HttpInterfaces([{ paths: /^\//, routine: /^\/health/ } as never]);

/** A request with these members, and the fields that it logs. */
function loggedBy(members: object) {
  const lines: Record<string, unknown>[] = [];
  const log = {
    isLevelEnabled: () => true,
    ...{ info: (line: never) => lines.push(line), warn: (line: never) => lines.push(line) },
  };
  const raw = { socket: { bytesRead: 0, bytesWritten: 0 } };
  const request = { log, raw, method: 'GET', url: '/', originalUrl: '/', routeOptions: {}, server: {}, ...members };
  return { lines, request: request as never };
}

function lineOf(members: object, reply: object = {}): Record<string, unknown> {
  const { lines, request } = loggedBy(members);
  const answered = { statusCode: 200, elapsedTime: 1, problemCode: null, ...reply };
  new RequestLog('off').write(request, answered as never, interfaces);
  return lines[0]!;
}

describe('the line of a request', () => {
  it.each([
    ['/events?ada@example.org=1&limit=5', '/events?…&limit=5'],
    [`/events?${KEY}==`, '/events?…'],
    [`/api/handles/a/b?auth=${KEY}`, '/api/handles/a/b?auth=…'],
    ['/hdl?urlappend=%3Femail%3Dada', '/hdl?urlappend=…'],
  ])('shows no person and no key in %s', (originalUrl, url) => {
    expect(lineOf({ originalUrl })).toMatchObject({ url });
  });

  it('has the code of the problem that ended a stream, whose status is 200', () => {
    expect(lineOf({ streamProblem: 'STATEMENT_TIMEOUT' })).toMatchObject({ status: 200, code: 'STATEMENT_TIMEOUT' });
    expect(lineOf({ streamProblem: null }).code).toBeUndefined();
  });
});

it('the line of a request has at most the parameters that fit into a line', () => {
  expect(lineOf({ originalUrl: `/?${'a&'.repeat(30_000)}` })).toMatchObject({
    url: expect.stringMatching(/^.{2000,2048}$/),
  });
});

describe('the line of a stream that a client aborted', () => {
  it('has the path without the query', () => {
    const { lines, request } = loggedBy({ originalUrl: '/identifiers/export?changedBy=ada%40example.org' });
    const raw = Object.assign(new EventEmitter(), { writableFinished: false });
    const none = (async function* () {})();
    sendStream(request, { raw, elapsedTime: 1, send: () => {} } as never, none);
    raw.emit('close');
    expect(lines).toEqual([expect.objectContaining({ url: '/identifiers/export' })]);
  });
});
