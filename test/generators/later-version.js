// A proxy that makes the service a later version: every object of a JSON response has a member that the document does not
// have, and every enumeration that can grow has a value that it does not have.
import { createServer } from 'node:http';

export const ADDED = 'ADDED_LATER';

/** The members with `x-extensible-enum`. */
const TEXTS = new Set(['code', 'kind', 'outcome', 'matchedBy', 'reason', 'reasonCode']);
const LISTS = new Set(['repairs', 'ignored', 'scopes']);

const OF_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'expect']);

/** @returns the URL of the proxy, and `stop`. */
export async function laterVersion(url) {
  const server = createServer(async (request, response) => {
    const body = [];
    for await (const chunk of request) body.push(chunk);
    const { method } = request;
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !OF_CONNECTION.has(name)));
    const found = await fetch(new URL(request.url, url), {
      ...{ method, headers, redirect: 'manual' },
      ...(body.length > 0 && { body: Buffer.concat(body) }),
    });
    const type = found.headers.get('content-type') ?? '';
    const text = await found.text();
    response.writeHead(found.status, { 'content-type': type });
    response.end(/json/.test(type) ? text.replace(/[^\n]+/g, (line) => JSON.stringify(later(JSON.parse(line)))) : text);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = () => new Promise((resolve) => server.close(resolve).closeAllConnections());
  return { url: `http://127.0.0.1:${server.address().port}`, stop };
}

function later(value) {
  if (Array.isArray(value)) return value.map(later);
  if (value === null || typeof value !== 'object') return value;
  const members = Object.entries(value).map(([name, member]) => {
    if (TEXTS.has(name) && typeof member === 'string') return [name, ADDED];
    return [name, LISTS.has(name) ? [...member, ADDED] : later(member)];
  });
  return { ...Object.fromEntries(members), addedLater: { value: 1 } };
}
