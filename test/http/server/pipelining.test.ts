import { once } from 'node:events';
import { type Server, type ServerResponse, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Pipelining } from '../../../src/http/server/pipelining.js';

const HEAD = (path: string) => `GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`;
const GET_MANY = (count: number) => Array.from({ length: count }, (_, i) => HEAD(`/${i}`)).join('');

const open: { server: Server; client: Socket }[] = [];

/** A server whose responses the test ends, and a client. */
async function start(onRequest: (path: string, response: ServerResponse) => void = () => {}) {
  const parsed: string[] = [];
  const begun: string[] = [];
  const pending: ServerResponse[] = [];
  const pipelining = new Pipelining();
  const server = createServer(
    pipelining.inTurn((request, response) => {
      begun.push(request.url ?? '');
      pending.push(response);
      onRequest(request.url ?? '', response);
    }),
  );
  pipelining.limit(server);
  server.on('request', ({ url = '' }) => parsed.push(url));
  const sockets: Socket[] = [];
  server.on('connection', (socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const answered: string[] = [];
  let rest = '';
  client.on('data', (bytes: Buffer) => {
    const parts = `${rest}${bytes.toString('latin1')}`.split(';');
    rest = parts.pop()!.slice(-20);
    for (const part of parts) answered.push(/for (.*)$/.exec(part.slice(-20))?.[1] ?? '');
  });
  client.on('error', () => {});
  open.push({ server, client });
  return { parsed, begun, pending, server, sockets, client, answered };
}

/** Waits for a condition; otherwise the test times out. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(5);
}

afterEach(() => {
  for (const { server, client } of open.splice(0)) {
    client.destroy();
    server.close();
    server.closeAllConnections();
  }
});

const paths = (count: number) => Array.from({ length: count }, (_, i) => `/${i}`);

describe('a connection that sends many requests at once', () => {
  it('has 32 of them parsed, and each one begun when those before it were answered; the last one closes it', async () => {
    const { parsed, begun, pending, client } = await start();
    let received = '';
    client.on('data', (bytes: Buffer) => (received += bytes.toString('latin1')));
    const closed = once(client, 'close');
    client.write(GET_MANY(2000));
    for (let i = 0; i < 32; i++) {
      await until(() => begun.length > i);
      if (i < 4) await pause(50);
      expect(begun).toEqual(paths(i + 1));
      pending[i]!.end();
    }
    await closed;
    expect([parsed, begun]).toEqual([paths(32), paths(32)]);
    const responses = received.split(/(?=HTTP\/1\.1 200)/);
    expect(responses.map((response) => /connection: close/i.test(response)).indexOf(true)).toBe(31);
    expect(responses).toHaveLength(32);
  });

  it('also applies where each response is sent before the next request is parsed', async () => {
    const { begun, client } = await start((path, response) =>
      response.req.resume().once('end', () => response.end(path)),
    );
    const closed = once(client, 'close');
    const post = 'POST /0 HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\n\r\nabc';
    client.write(post.repeat(200));
    await closed;
    expect(begun).toHaveLength(32);
  });

  it('has one of them begun before a request of another connection', async () => {
    const { begun, client, server, answered } = await start((path, response) => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      response.end(`for ${path};`);
    });
    const other = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(other, 'connect');
    client.write(GET_MANY(32));
    other.write(HEAD('/other'));
    await until(() => answered.length === 32);
    other.destroy();
    expect(begun.indexOf('/other')).toBeLessThan(4);
  });

  it('stays open and gets every response in order, with 32 requests at a time', async () => {
    const { client, answered } = await start((path, response) => {
      setTimeout(() => response.end(`for ${path};`), Number(path.slice(1)) % 5);
    });
    for (const round of [1, 2, 3]) {
      client.write(GET_MANY(32));
      await until(() => answered.length === 32 * round);
    }
    expect(answered).toEqual([...paths(32), ...paths(32), ...paths(32)]);
  });

  it('also applies to the shortest accepted requests, and to requests in pieces', async () => {
    const short = await start();
    short.client.write('GET /\n\r\n'.repeat(8000));
    const pieces = await start();
    for (const piece of GET_MANY(200).match(/[\s\S]{1,37}/g)!) {
      pieces.client.write(piece);
      await pause(0);
    }
    await until(() => short.parsed.length >= 1 && pieces.parsed.length >= 32);
    await pause(100);
    expect(short.parsed.length).toBeLessThanOrEqual(32);
    expect(pieces.parsed).toHaveLength(32);
  });

  it('has no request parsed behind bytes that were dropped, although a body makes Node read on', async () => {
    const { begun, pending, client } = await start((_, response) => response.req.resume());
    const post = (path: string) => `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 3\r\n\r\nabc`;
    client.write(Array.from({ length: 40 }, (_, i) => post(`/${i}`)).join(''));
    const closed = once(client, 'close');
    for (let i = 0; i < 32; i++) {
      await until(() => begun.length > i);
      client.write(post('/later'));
      pending[i]!.end();
    }
    await closed;
    expect(begun).toEqual(paths(32));
  });

  it('is not read while its requests wait: the client cannot send more', async () => {
    const { parsed, client, sockets } = await start();
    const flood = GET_MANY(100_000);
    client.write(flood);
    await until(() => parsed.length >= 32);
    await pause(300);
    const { bytesRead } = sockets[0]!;
    expect(bytesRead).toBeLessThan(flood.length / 4);
    await pause(100);
    expect(sockets[0]!.bytesRead).toBe(bytesRead);
  });
});

describe('a client that does not read', () => {
  it('has no more begun than fill the buffer of its connection, and gets all of it once it reads', async () => {
    const large = 'x'.repeat(2_000_000);
    const { begun, client, answered } = await start((path, response) => response.end(`${large}for ${path};`));
    client.pause();
    client.write(GET_MANY(32));
    await until(() => begun.length >= 2);
    await pause(300);
    // The operating system buffers a few megabytes for the client.
    expect(begun.length).toBeLessThan(20);
    client.resume();
    await until(() => answered.length === 32);
  }, 20_000);
});

describe('bodies', () => {
  it('arrive complete after other requests, with empty lines or without, and do not wait for their own response', async () => {
    const bodies = ['\r\n\r\n'.repeat(40_000), 'x'.repeat(200_000), '\n\n'];
    const arrived: number[] = [];
    const { client, answered } = await start((path, response) => {
      response.req.on('data', (bytes: Buffer) => (arrived[Number(path.slice(1))]! += bytes.length));
      response.req.on('end', () => response.end(`for ${path};`));
    });
    for (const [i, body] of [...bodies, ...bodies].entries()) {
      arrived[i] = 0;
      client.write(`POST /${i} HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    }
    await until(() => answered.length === 6);
    expect(arrived).toEqual([...bodies, ...bodies].map(({ length }) => length));
  });

  it('that are not read are not sent on, and go on when they are', async () => {
    const { pending, client } = await start();
    const body = 'x'.repeat(30_000_000);
    client.write(`POST /0 HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    await until(() => pending.length === 1);
    await pause(300);
    expect(client.writableLength).toBeGreaterThan(0);
    let arrived = 0;
    for await (const bytes of pending[0]!.req) arrived += (bytes as Buffer).length;
    expect(arrived).toBe(body.length);
  });
});

describe('a tunnel', () => {
  it('ends the parsing of the connection: no handler gets the following bytes', async () => {
    const { begun, client, server } = await start();
    const connected = new Promise<Socket>((resolve) =>
      server.once('connect', (_request, socket) => {
        resolve(socket as Socket);
      }),
    );
    client.write(`CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n${GET_MANY(50)}`);
    (await connected).resume();
    await pause(100);
    expect(begun).toEqual([]);
  });
});
