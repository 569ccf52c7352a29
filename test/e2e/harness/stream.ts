import { type ClientRequest, type IncomingMessage, request as send } from 'node:http';
import { createInterface } from 'node:readline';

/** A request whose body is written while its response is read. */
export interface LineStream {
  readonly request: ClientRequest;
  readonly response: Promise<IncomingMessage>;
  /** The lines of the response as JSON, in order. */
  readonly lines: AsyncIterableIterator<any>;
}

/** Opens a stream of NDJSON in both directions. */
export function openStream(url: string, headers: Record<string, string> = {}): LineStream {
  const request = send(url, { method: 'POST', headers: { 'content-type': 'application/x-ndjson', ...headers } });
  // The reader of the lines gets the error of the connection.
  request.on('error', () => {});
  const response = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve);
    request.once('error', reject);
  });
  response.catch(() => null);
  request.flushHeaders();
  return { request, response, lines: linesOf(response) };
}

/** Sends a whole body and reads the whole response by line. */
export async function sendLines(url: string, body: string, headers: Record<string, string> = {}): Promise<any[]> {
  const stream = openStream(url, headers);
  stream.request.end(body);
  const lines: any[] = [];
  for await (const line of stream.lines) lines.push(line);
  return lines;
}

async function* linesOf(response: Promise<IncomingMessage>): AsyncIterableIterator<any> {
  const input = await response;
  let broken: Error | undefined;
  input.on('error', (error) => (broken = error));
  for await (const line of createInterface({ input, crlfDelay: Infinity })) yield JSON.parse(line);
  if (broken !== undefined) throw broken;
}
