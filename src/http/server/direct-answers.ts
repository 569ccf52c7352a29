import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostFieldsOf } from '../headers/request-headers.js';
import { noteArrival } from './response-deadline.js';

/** Then the framework gets the request, which refuses it in time (`response-deadline.ts`). */
const MAX_WAIT_MS = 12_000;

/** A response that is sent without the framework. */
export interface DirectAnswer {
  readonly status: number;
  /** Names and values by turns, without the length. */
  readonly headers: readonly string[];
  readonly body: string;
  /** The length of the body in UTF-8. */
  readonly octets: number;
}

/** Makes an answer; null where the framework must handle the request. */
export type MakeAnswer = () => DirectAnswer | null | Promise<DirectAnswer | null>;

/** A route whose frequent requests have a direct answer. */
export interface DirectRoute {
  /** The pattern of the route, for metrics. */
  readonly pattern: string;
  /** What answers a request; null where the framework must handle it. Reads no record. */
  readonly read: (request: IncomingMessage) => MakeAnswer | null;
}

/** A request that may be answered. */
export interface Admitted {
  /** Headers of limits, names and values by turns. */
  readonly headers: readonly string[];
  /** Called when the answer was sent. */
  readonly leave: () => void;
  /** Called instead of `leave` when the framework handles the request, so that it does not count twice. */
  readonly undo: () => void;
}

/** The rules of the framework's hooks, as far as they concern these requests. */
export interface DirectRules {
  /** Whether requests of this kind are served now, and those of this client; otherwise the hooks refuse them. */
  readonly isServed: (request: IncomingMessage) => boolean;
  /** Counts the request by its client; null where it is refused. */
  readonly admit: (request: IncomingMessage) => Admitted | null;
  readonly requestId: (request: IncomingMessage) => string;
  /** Called after each answer. @param ms milliseconds from the head of the request to the answer. */
  readonly answered: (request: IncomingMessage, id: string, route: string, status: number, ms: number) => void;
}

/**
 * Answers frequent requests without the hooks of the framework, which cost three times as much as the answer (decision 67). A
 * request with a header that a hook reads, and one that is refused or cannot be answered, is left to the framework.
 */
export class DirectAnswers {
  constructor(
    private readonly route: DirectRoute,
    private readonly rules: DirectRules,
  ) {}

  /** @returns whether the request was taken. @param handOver lets the framework handle a request that was taken. */
  take(request: IncomingMessage, response: ServerResponse, handOver: () => void): boolean {
    if (!isPlain(request) || !this.rules.isServed(request)) return false;
    const makeAnswer = this.route.read(request);
    if (makeAnswer === null) return false;
    const admitted = this.rules.admit(request);
    if (admitted === null) return false;
    const began = performance.now();
    const finish = (answer: DirectAnswer | null): boolean => this.finish(request, response, answer, admitted, began);
    let answer: ReturnType<MakeAnswer>;
    try {
      answer = makeAnswer();
    } catch {
      // The framework finds the same error and reports it.
      return finish(null);
    }
    if (!(answer instanceof Promise)) return finish(answer);
    let isSettled = false;
    const settle = (found: DirectAnswer | null): void => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(late);
      // The hooks of the framework wait for the end of a response, which a closed one does not tell again.
      if (response.closed) admitted.leave();
      else if (!finish(found)) {
        noteArrival(request, began);
        handOver();
      }
    };
    const late = setTimeout(settle, MAX_WAIT_MS, null);
    void answer.catch(() => null).then(settle);
    return true;
  }

  private finish(
    request: IncomingMessage,
    response: ServerResponse,
    answer: DirectAnswer | null,
    admitted: Admitted,
    began: number,
  ): boolean {
    if (answer === null) {
      admitted.undo();
      return false;
    }
    const id = this.rules.requestId(request);
    const { status, headers, body, octets } = answer;
    response.writeHead(status, [
      ...['x-request-id', id, 'content-length', String(octets)],
      ...headers,
      ...admitted.headers,
    ]);
    // ASCII is the same in both, and written faster as Latin-1.
    response.end(body, octets === body.length ? 'latin1' : 'utf8');
    if (response.writableFinished || response.socket?.writableLength === 0) admitted.leave();
    else response.once('close', admitted.leave);
    this.rules.answered(request, id, this.route.pattern, status, performance.now() - began);
    return true;
  }
}

/** Whether no hook of the framework reads more of the request than its path and its client. */
function isPlain(request: IncomingMessage): boolean {
  const { method, headers, httpVersion } = request;
  return (
    (method === 'GET' || method === 'HEAD') &&
    httpVersion === '1.1' &&
    hostFieldsOf(request) === 1 &&
    headers.authorization === undefined &&
    headers.traceparent === undefined &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  );
}
