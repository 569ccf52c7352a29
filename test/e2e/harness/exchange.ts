import { type IncomingHttpHeaders, request } from 'node:http';

/** A response whose redirects were not followed. */
export interface Exchanged {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Sends a request target as it is: `fetch` would change its path, its headers and its method. */
export function exchange(
  base: string,
  target: string,
  { method = 'GET', headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Exchanged> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path: target, method, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const { statusCode = 0 } = answer;
        resolve({ status: statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString() });
      });
    })
      .on('error', reject)
      .end(body);
  });
}
