import { setTimeout as pause } from 'node:timers/promises';

/** Longer than any answer may take, so that a violation of the limit is measured. */
const GIVE_UP_MS = 45_000;

const REPEAT_AFTER_MS = 300;

/** Requests to the replicas in turn. Records when each was sent, and how long its response took. */
export class Requests {
  #turn = 0;

  /** @param urls of the replicas. */
  constructor(urls) {
    this.urls = urls;
    /** Each response, with `status` 0 for a lost connection and `ms` since the request. */
    this.answers = [];
    /** Each request that was acknowledged, with the times of its first sending and of its success. */
    this.acknowledged = [];
  }

  /** @param kind `read` or `write`. @returns the status and the JSON of the response. */
  async send(kind, { method = 'GET', path, body, headers = {} }) {
    const url = this.urls[this.#turn++ % this.urls.length];
    const sent = performance.now();
    const answer = await exchange(url + path, method, body, headers);
    this.answers.push({ kind, status: answer.status, code: answer.body?.code, sent, ms: performance.now() - sent });
    return answer;
  }

  /**
   * Sends a request until it succeeds, as clients do: again after a lost connection, a timeout, 503, and while an earlier
   * attempt is in progress.
   * @param mayContinue asked before each repeat.
   * @returns the successful response, or null when it may not continue.
   * @throws Error for a response that no repeat changes.
   */
  async acknowledge(kind, request, mayContinue) {
    const first = performance.now();
    for (;;) {
      const answer = await this.send(kind, request);
      if (answer.status >= 200 && answer.status < 400) {
        this.acknowledged.push({ kind, first, at: performance.now() });
        return answer;
      }
      if (!isTemporary(answer)) {
        throw new Error(`${request.method ?? 'GET'} ${request.path}: ${answer.status} ${JSON.stringify(answer.body)}`);
      }
      if (!mayContinue()) return null;
      await pause(REPEAT_AFTER_MS);
    }
  }

  /** The longest response of a kind, in seconds. */
  slowest(kind) {
    return longest(this.answers.filter((answer) => answer.kind === kind).map(({ ms }) => ms));
  }

  /** The longest time from the first sending of a request to its success, in seconds. */
  longestWait(kind) {
    return longest(this.acknowledged.filter((one) => one.kind === kind).map(({ first, at }) => at - first));
  }

  /** The longest time without any success, in seconds. */
  longestGap(kind) {
    const times = this.acknowledged.filter((one) => one.kind === kind).map(({ at }) => at);
    return longest(times.sort((a, b) => a - b).map((at, index) => at - (times[index - 1] ?? at)));
  }

  /** How many responses had each status and code. */
  statuses() {
    const counts = {};
    for (const { kind, status, code } of this.answers) {
      const name = [kind, status, code].filter((part) => part !== undefined).join(' ');
      counts[name] = (counts[name] ?? 0) + 1;
    }
    return counts;
  }
}

const isTemporary = ({ status, body }) => status === 0 || status === 503 || body?.code === 'REQUEST_IN_FLIGHT';

const longest = (times) => times.reduce((most, ms) => Math.max(most, ms), 0) / 1000;

async function exchange(url, method, body, headers) {
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: body === undefined ? headers : { 'Content-Type': 'application/json', ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(GIVE_UP_MS),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return { status: response.status, body: isJson ? JSON.parse(text) : text };
  } catch (error) {
    return { status: 0, body: { code: error.name } };
  }
}
