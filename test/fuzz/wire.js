import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseAnswers } from './answer.js';
import { isJson } from './document.js';
import { headersOf, bytesOf, targetOf } from './request.js';

/** Time limits of a response, and of one of an operation that waits for events. */
const LIMIT_MS = 15_000 * Number(process.env.MACHINE_FACTOR ?? 1);
const NEWS_MS = 300;

/** Time limit of a complete response on a raw connection that stays open. */
const KEPT_MS = 500;

/** Times that a request is sent again after `503 CONFLICT_IN_PROGRESS`. */
const REPEATS = 3;

/** Bytes that are read of a stream, such as an export, before the client closes it. */
const STREAM_BYTES = 1024 * 1024;

/** Sends requests by Node's client, or over a raw socket what that client rejects. */
export class Wire {
  /** @param connections maximum concurrent connections. */
  constructor(url, connections) {
    const { hostname, port } = new URL(url);
    this.address = { host: hostname, port: Number(port) };
    this.agent = new Agent({ keepAlive: true, maxSockets: connections });
  }

  /**
   * A request that conflicts with a request in progress is sent again, as the document says that clients do.
   *
   * @returns `{ status, headers, body, open }`, or `{ failure }` without a response.
   */
  async send(request) {
    let answer = await this.#once(request);
    for (let repeat = 0; repeat < REPEATS && isConflictInProgress(answer); repeat++) {
      await sleep(1000 * Number(answer.headers['retry-after']));
      answer = await this.#once(request);
    }
    return answer;
  }

  close() {
    this.agent.destroy();
  }

  async #once(request) {
    if (needsRaw(request)) return this.#raw(request);
    const answer = await this.#byClient(request);
    if (answer.rejected === true) return this.#raw(request);
    // The service may close an idle connection at the moment of its reuse (RFC 9112 9.5).
    return answer.reused === true ? this.#raw(request) : answer;
  }

  #byClient(request) {
    return new Promise((resolve) => {
      let sent;
      try {
        sent = httpRequest({
          ...this.address,
          agent: this.agent,
          method: request.method,
          path: targetOf(request),
          headers: headersOf(request).flat(),
        });
      } catch (error) {
        if (
          ![
            'ERR_INVALID_CHAR',
            'ERR_UNESCAPED_CHARACTERS',
            'ERR_INVALID_HTTP_TOKEN',
            'ERR_HTTP_INVALID_HEADER_VALUE',
          ].includes(error.code)
        )
          throw error;
        resolve({ rejected: true });
        return;
      }
      const limit = setTimeout(
        () => {
          resolve(request.operation.mayWait ? { waiting: true } : { failure: `no answer within ${LIMIT_MS} ms` });
          sent.destroy();
        },
        request.operation.mayWait ? NEWS_MS : LIMIT_MS,
      );
      sent.once('close', () => {
        clearTimeout(limit);
      });
      sent.once('error', (error) => {
        resolve(
          sent.reusedSocket && error.code === 'ECONNRESET'
            ? { reused: true }
            : { failure: `the connection broke: ${error.code}` },
        );
      });
      sent.once('response', (response) => {
        readAnswer(response, request).then(resolve, () => {
          resolve({ failure: 'the answer broke off' });
        });
      });
      sent.end(request.body);
    });
  }

  #raw(request) {
    return new Promise((resolve) => {
      const chunks = [];
      const socket = connect(this.address, () => socket.write(bytesOf(request)));
      const finish = (failure, isEnded = true) => {
        clearTimeout(limit);
        const answer = parseAnswers(Buffer.concat(chunks), request.method) ?? { failure };
        if (answer.isWhole !== false) resolve(answer);
        else resolve(isEnded ? { failure: 'the answer broke off' } : { ...answer, open: true });
        socket.destroy();
      };
      const limit = setTimeout(
        () => {
          if (request.operation.mayWait && chunks.length === 0) resolve({ waiting: true });
          finish('no answer over a raw socket', !request.operation.mayWait);
        },
        request.operation.mayWait ? NEWS_MS : LIMIT_MS,
      );
      socket.on('data', (chunk) => {
        chunks.push(chunk);
        // The service may ignore `Connection: close`.
        if (/\r\nconnection: keep-alive\r\n/i.test(chunk.toString('latin1', 0, 2000))) {
          setTimeout(finish, KEPT_MS, undefined, false);
        }
      });
      socket.on('error', (error) => {
        finish(`the connection broke: ${error.code}`);
      });
      socket.on('close', () => {
        finish('the connection was closed without an answer');
      });
    });
  }
}

function isConflictInProgress({ status, headers, body }) {
  return status === 503 && headers['retry-after'] !== undefined && body.includes('"CONFLICT_IN_PROGRESS"');
}

/** Requests that Node's client would change, or whose responses it would parse differently from `parseAnswers`. */
function needsRaw(request) {
  const { bytes, method } = request;
  if (bytes !== undefined || method !== method.toUpperCase()) return true;
  return ['CONNECT', 'HEAD'].includes(method) || !/^\/[\x21-\x7e]*$/.test(targetOf(request));
}

async function readAnswer(response, request) {
  const { statusCode: status, headers } = response;
  const chunks = [];
  let length = 0;
  let open = false;
  const most = isJson((headers['content-type'] ?? '').split(';', 1)[0]) ? Infinity : STREAM_BYTES;
  if (/^text\/event-stream/.test(headers['content-type'] ?? '')) {
    response.destroy();
    return { status, headers, body: Buffer.alloc(0), open: true };
  }
  const limit = request.operation.mayWait && setTimeout(() => ((open = true), response.destroy()), NEWS_MS);
  try {
    for await (const chunk of response) {
      chunks.push(chunk);
      length += chunk.length;
      if (length > most) return { status, headers, body: Buffer.concat(chunks), open: true };
    }
  } catch (error) {
    if (!open) throw error;
  } finally {
    clearTimeout(limit);
  }
  return { status, headers, body: Buffer.concat(chunks), open };
}
