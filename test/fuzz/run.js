import { operationsOf, isJson } from './document.js';
import { Oracle } from './oracle.js';
import { Pool } from './pool.js';
import { RequestMaker } from './request-maker.js';
import { Wire } from './wire.js';

/** Requests that are generated before any of them is sent. */
const ROUND = 1024;

/** Failures that a run reports completely. */
const MOST_FAILURES = 200;

/**
 * Sends requests to every operation of a document and compares each response with it.
 *
 * A seed generates the same requests, except for values that the service generated (GUIDs, entity tags, times):
 * requests are generated in rounds, and a round uses the responses to earlier rounds, in the order of the requests.
 *
 * @param {{ url: string, document: object, seed: string, runs: number, connections?: number, headers?: string[][],
 * only?: string[] }} options
 * `url` of the service; `document`, OpenAPI 3.1; `seed`, a text; `runs`, requests for each operation; `connections`,
 * concurrent; `headers`, pairs of every request; `only`, operation IDs, default all.
 * @returns `{ seed, runs, table, failures }`: `table` maps operation IDs to the counts of statuses, and a failure is `{
 * request, answer, fault }`.
 */
export async function fuzz({ url, document, seed, runs, connections = 32, headers = [], only }) {
  const operations = operationsOf(document);
  const chosen = operations.filter(({ id }) => only === undefined || only.includes(id));
  const pool = new Pool();
  const oracle = new Oracle(document, operations);
  const maker = new RequestMaker({ document, operations, pool, seed, headers });
  const wire = new Wire(url, connections);
  const table = new Map(chosen.map(({ id }) => [id, new Map()]));
  const failures = [];
  try {
    for (const round of rounds(chosen, runs)) {
      const requests = round.map(({ operation, number }) => maker.make(operation, number));
      const answers = await sendAll(wire, requests, connections);
      requests.forEach((request, index) => {
        const answer = answers[index];
        count(table.get(request.operation.id), answer.waiting ? 'waiting' : (answer.status ?? 'none'));
        if (answer.waiting) return;
        const fault = oracle.findFault(request, answer);
        if (fault === null) learn(pool, answer);
        else failures.push({ request, answer, fault });
      });
      if (failures.length >= MOST_FAILURES) break;
    }
  } finally {
    wire.close();
  }
  return { seed, runs, table, failures };
}

function* rounds(operations, runs) {
  const perOperation = Math.max(1, Math.floor(ROUND / operations.length));
  for (let done = 0; done < runs; done += perOperation) {
    const many = Math.min(perOperation, runs - done);
    // Neighbours are sent at the same time: the operations alternate.
    yield Array.from({ length: many }, (_, i) =>
      operations.map((operation) => ({ operation, number: done + i })),
    ).flat();
  }
}

async function sendAll(wire, requests, connections) {
  const answers = [];
  const waiting = requests.entries();
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (const [index, request] of waiting) answers[index] = await wire.send(request);
    }),
  );
  return answers;
}

function count(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function learn(pool, { headers, body, open }) {
  const type = headers['content-type']?.split(';', 1)[0] ?? '';
  if (type === 'application/problem+json' || open) return;
  pool.harvest(
    headers,
    isJson(type) && body.length > 0 && body.length < 200_000 ? JSON.parse(body.toString()) : undefined,
  );
}
