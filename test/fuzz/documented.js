import { readFileSync } from 'node:fs';
import { operationsOf } from './document.js';
import { Oracle } from './oracle.js';

const document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));

const operations = operationsOf(document);

const oracle = new Oracle(document, operations);

const patterns = new Map(operations.map(({ path }) => [path, patternOf(path)]));

function patternOf(path) {
  const literals = path.split(/\{[^}]+\}/).map((text) => text.replaceAll(/[.*+?^${}()|[\]\\-]/g, String.raw`\$&`));
  return new RegExp(`^${literals.join('[^/]+')}$`);
}

/**
 * A `fetch` that fails where a response of the service is not as the document says: its status, its media type, its headers, and a
 * body of JSON or of lines when the caller reads it as text or JSON.
 *
 * @param {typeof globalThis.fetch} fetch
 * @returns {typeof globalThis.fetch}
 */
export function documented(fetch) {
  return async (input, init) => {
    const response = await fetch(input, init);
    const method = (init?.method ?? input.method ?? 'GET').toUpperCase();
    const candidates = candidatesFor(method, new URL(input.url ?? input).pathname);
    if (candidates.length === 0 || !isOfService(response)) return response;
    const { status } = response;
    const headers = Object.fromEntries(response.headers);
    const compare = (body, open) => {
      const fault = oracle.undocumented(candidates, { method }, { status, headers, body: Buffer.from(body), open });
      if (fault !== null) throw new Error(`${method} ${new URL(response.url).pathname}: ${fault}`);
    };
    compare('', true);
    const read = response.text.bind(response);
    const text = async () => {
      const body = await read();
      compare(body, false);
      return body;
    };
    return Object.assign(response, { text, json: async () => JSON.parse(await text()) });
  };
}

function candidatesFor(method, path) {
  const served = method === 'HEAD' ? 'GET' : method;
  const found = operations.filter(
    (operation) => operation.method === served && patterns.get(operation.path).test(path),
  );
  const literal = found.filter(({ path }) => !path.includes('{'));
  return literal.length > 0 ? literal : found;
}

/** Whether a response is one of the service, and of none of its other interfaces, which have documents of their own. */
function isOfService({ headers }) {
  return headers.has('x-request-id') && !headers.has('access-control-allow-origin');
}
