import { type IncomingMessage, type Server, createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An HTTP proxy on loopback whose clients lose the first response to each write and to each kind of read, after the
 * service has processed it: every second connection is reset before the headers of the response, the others behind a part of its
 * body. The second attempt of a request with an Idempotency-Key is 409 REQUEST_IN_FLIGHT.
 */
export class BreakingProxy {
  /** How many responses were lost, and how many requests were rejected. */
  lost = 0;
  rejected = 0;
  private readonly attempts = new Map<string, number>();
  private readonly server: Server;

  private constructor(private readonly target: URL) {
    this.server = createServer((request, response) => {
      const pieces: Buffer[] = [];
      request.on('data', (piece: Buffer) => pieces.push(piece));
      request.on('end', () => {
        const body = Buffer.concat(pieces);
        const key = request.headers['idempotency-key'] ?? '';
        // Identifiers are read by the hundred.
        const path = request.method === 'GET' ? (request.url ?? '').split('/', 3).join('/') : request.url;
        const id = [request.method, path, key, body.toString('latin1')].join(' ');
        const attempt = (this.attempts.get(id) ?? 0) + 1;
        this.attempts.set(id, attempt);
        if (attempt === 2 && key !== '') {
          this.rejected += 1;
          const problem = { code: 'REQUEST_IN_FLIGHT', status: 409 };
          response.writeHead(409, { 'content-type': 'application/problem+json', 'retry-after': '0' });
          response.end(JSON.stringify(problem));
          return;
        }
        void this.forward(request, body).then(({ status, headers, text }) => {
          if (attempt > 1) {
            response.writeHead(status, headers).end(text);
            return;
          }
          this.lost += 1;
          if (this.lost % 2 === 0) {
            request.socket.destroy();
            return;
          }
          response.writeHead(status, headers);
          response.write(text.subarray(0, text.length / 2), () => request.socket.destroy());
        });
      });
    });
  }

  /** Listens before the service with this URL. */
  static async before(target: string): Promise<BreakingProxy> {
    const proxy = new BreakingProxy(new URL(target));
    await new Promise<void>((resolve) => proxy.server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private forward(
    { method = 'GET', url = '/', headers }: IncomingMessage,
    body: Buffer,
  ): Promise<{ status: number; headers: Record<string, string | string[]>; text: Buffer }> {
    const sent = { ...headers, host: this.target.host, 'content-length': String(body.length) };
    return new Promise((resolve, reject) => {
      const forwarded = send(new URL(url, this.target), { method, headers: sent }, (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.on('end', () => {
          const text = Buffer.concat(pieces);
          const { 'transfer-encoding': _, connection: __, ...others } = response.headers;
          const received = Object.entries(others).flatMap(([name, value]) =>
            value === undefined ? [] : [[name, value]],
          );
          const all = { ...Object.fromEntries(received), 'content-length': String(text.length) };
          resolve({ status: response.statusCode ?? 0, headers: all, text });
        });
      });
      forwarded.once('error', reject);
      forwarded.end(body);
    });
  }
}
