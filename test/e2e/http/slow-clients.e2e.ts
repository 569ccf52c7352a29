import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { useService } from '../harness/service.js';

const LIMIT_MS = 2000;

const service = useService({
  REQUEST_TIMEOUT_MS: String(LIMIT_MS),
  RESPONSE_STALL_TIMEOUT_MS: String(LIMIT_MS),
  LOG_LEVEL: 'warn',
});

/** Responses of `POST /normalize` to this are larger than the buffers of the system. */
const LARGE = JSON.stringify({
  items: Array.from({ length: 10_000 }, () => ({ input: `hdl:100.102/${'x'.repeat(700)}` })),
});

/** The end of a chunked response (RFC 9112 7.1), which an interrupted one lacks. */
const END = '\r\n0\r\n\r\n';

const JSON_TYPE = { 'content-type': 'application/json' };

const open: Peer[] = [];

/** A slow client. */
class Peer {
  received = '';
  last = '';
  bytes = 0;
  readonly closed: Promise<unknown>;

  private constructor(readonly socket: Socket) {
    this.closed = once(socket, 'close');
    socket.on('data', (chunk: Buffer) => {
      this.bytes += chunk.length;
      if (this.received.length < 1000) this.received += chunk.toString();
      this.last = (this.last + chunk.toString()).slice(-20);
    });
    // An interruption can be a reset.
    socket.on('error', () => {});
  }

  static async connect(): Promise<Peer> {
    const { hostname, port } = new URL(service.server.url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    const peer = new Peer(socket);
    open.push(peer);
    return peer;
  }

  /** Sends a text one character at a time, until the connection ends. */
  async trickle(text: string): Promise<void> {
    for (const character of text) {
      if (!this.socket.writable) return;
      this.socket.write(character);
      await pause(100);
    }
  }
}

const connectMany = (count: number): Promise<Peer[]> =>
  Promise.all(Array.from({ length: count }, () => Peer.connect()));

async function expectOthersAreServed(): Promise<void> {
  const answers = await Promise.all([service.client.mint(), service.client.get('/identifiers?limit=1')]);
  expect(answers.map(({ status }) => status)).toEqual([201, 200]);
}

afterEach(() => {
  for (const { socket } of open.splice(0)) socket.destroy();
});

const POST = 'POST /normalize HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n';
const sizeOf = (body: string): string => `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;

describe('clients that send too slowly', () => {
  it('in the head are cut with 408 after the limit, and others are served meanwhile', async () => {
    const peers = await connectMany(200);
    const trickles = peers.map((peer) => peer.trickle(`GET / HTTP/1.1\r\nx-slow: ${'a'.repeat(10_000)}`));
    await expectOthersAreServed();
    await Promise.all(peers.map(({ closed }) => closed));
    await Promise.all(trickles);
    expect(peers.map(({ received }) => received.slice(0, 13))).toEqual(peers.map(() => 'HTTP/1.1 408 '));
  });

  it('in the body are cut with 408 after the limit, and others are served meanwhile', async () => {
    const peers = await connectMany(200);
    for (const { socket } of peers) socket.write(`${POST}content-length: 10000\r\n\r\n{`);
    const trickles = peers.map((peer) => peer.trickle(' '.repeat(10_000)));
    await expectOthersAreServed();
    await Promise.all(peers.map(({ closed }) => closed));
    await Promise.all(trickles);
    expect(peers.map(({ received }) => received.slice(0, 13))).toEqual(peers.map(() => 'HTTP/1.1 408 '));
  });

  it('nothing at all, a thousand of them, are cut after the limit, and others are served meanwhile', async () => {
    const peers = await connectMany(1000);
    await expectOthersAreServed();
    await Promise.all(peers.map(({ closed }) => closed));
  });
});

describe('a client that closes its half of the connection', () => {
  it('is let go, whether its request is whole or not, and others are served', async () => {
    const peers = await connectMany(100);
    for (const [i, { socket }] of peers.entries())
      socket.end(i % 2 === 0 ? `${POST}${sizeOf(LARGE)}{` : `${POST}${sizeOf('{}')}{}`);
    await expectOthersAreServed();
    await Promise.all(peers.map(({ closed }) => closed));
  });
});

describe('a client that reads its response', () => {
  it('not at all is cut after the limit, and others are served meanwhile', async () => {
    const [peer] = await connectMany(1);
    peer!.socket.once('data', () => peer!.socket.pause());
    peer!.socket.write(`${POST}connection: close\r\n${sizeOf(LARGE)}${LARGE}`);
    await once(peer!.socket, 'pause');
    await expectOthersAreServed();
    await pause(LIMIT_MS * 3);
    peer!.socket.resume();
    await peer!.closed;
    expect(peer!.received).toMatch(/^HTTP\/1\.1 200 /);
    expect(peer!.last).not.toContain(END);
    expect(peer!.bytes).toBeLessThan((await service.client.send('POST', '/normalize', JSON_TYPE, LARGE)).text.length);
    await expectOthersAreServed();
  });

  it('slowly, for longer than the limit, gets all of it', async () => {
    const [peer] = await connectMany(1);
    const { socket } = peer!;
    const started = performance.now();
    socket.on('data', () => {
      socket.pause();
      setTimeout(() => socket.resume(), 25);
    });
    socket.write(`${POST}connection: close\r\n${sizeOf(LARGE)}${LARGE}`);
    await peer!.closed;
    expect(peer!.last.endsWith(`]}\n${END}`)).toBe(true);
    expect(peer!.bytes).toBeGreaterThan(
      (await service.client.send('POST', '/normalize', JSON_TYPE, LARGE)).text.length,
    );
    expect(performance.now() - started).toBeGreaterThan(LIMIT_MS);
  });
});

describe('a request that is worked on', () => {
  it('for longer than the limit of a response that is not read is not disconnected', async () => {
    const blocker = new pg.Client({ connectionString: service.database.url });
    await blocker.connect();
    await blocker.query('BEGIN; LOCK TABLE identifier');
    const waiting = service.client.mint();
    // Longer than the limit for a response that is not read, and shorter than that of a lock.
    await pause(LIMIT_MS + 500);
    await blocker.query('COMMIT');
    await blocker.end();
    expect((await waiting).status).toBe(201);
  });
});
