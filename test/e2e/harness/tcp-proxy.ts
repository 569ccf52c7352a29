import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

/**
 * A TCP proxy between a client and a server with faults:
 *
 * - `pass`: forwards bytes in both directions;
 * - `reject`: does not listen, and resets every connection;
 * - `silent`: accepts connections and forwards nothing; connections of that time stay silent;
 * - `deaf`: forwards requests and drops the responses;
 * - `gone`: as `silent`, and does not forward the end of a connection, as after a power failure of the host.
 */
export type Weather = 'pass' | 'reject' | 'silent' | 'deaf' | 'gone';

export class TcpProxy {
  private weather: Weather = 'pass';
  private server: Server | undefined;
  private readonly pairs = new Set<Pair>();
  private fatalText: string | null = null;
  private awaited: { words: string; answered: (withheld: Withheld) => void } | null = null;

  private constructor(
    private target: { host: string; port: number },
    readonly port: number,
  ) {}

  /**
   * Listens on a free loopback port.
   * @param target the `postgresql://` or `http://` URL of the server.
   */
  static async before(target: string): Promise<TcpProxy> {
    const probe = createServer();
    await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
    const free = (probe.address() as AddressInfo).port;
    await new Promise((resolve) => probe.close(resolve));
    const proxy = new TcpProxy(placeOf(target), free);
    await proxy.set('pass');
    return proxy;
  }

  /** The URL of the server through the proxy. */
  addressOf(target: string): string {
    const url = new URL(target);
    url.host = `127.0.0.1:${this.port}`;
    return url.href;
  }

  /** Forwards the connections from now on to another server. */
  leadTo(target: string): void {
    this.target = placeOf(target);
  }

  /** The number of connected clients. */
  get connections(): number {
    return this.pairs.size;
  }

  /** Ends a connection whose client sends this text, as a crash of the server would. */
  breakAt(text: string | null): void {
    this.fatalText = text;
  }

  /**
   * Forwards the next request that contains these words, and holds its response.
   * @returns when the server has responded, so that the request has taken effect.
   */
  withholdAnswerTo(words: string): Promise<Withheld> {
    return new Promise((answered) => (this.awaited = { words, answered }));
  }

  async set(weather: Weather): Promise<void> {
    this.weather = weather;
    if (weather === 'silent' || weather === 'gone') for (const pair of this.pairs) pair.dead = true;
    if (weather === 'reject') await this.close();
    else await this.listen();
  }

  async close(): Promise<void> {
    const { server } = this;
    this.server = undefined;
    for (const { client, upstream } of this.pairs) {
      client.resetAndDestroy();
      upstream.destroy();
    }
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
  }

  private async listen(): Promise<void> {
    if (this.server !== undefined) return;
    const server = createServer((client) => {
      this.accept(client);
    });
    this.server = server;
    await new Promise<void>((resolve) => server.listen(this.port, '127.0.0.1', resolve));
  }

  private accept(client: Socket): void {
    const upstream = connect(this.target);
    const pair: Pair = { client, upstream, dead: this.weather === 'silent' || this.weather === 'gone', answered: null };
    this.pairs.add(pair);
    const end = (): void => {
      if (this.weather === 'gone') return;
      this.pairs.delete(pair);
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) socket.on('error', end).on('close', end);
    client.on('data', (bytes) => {
      if (this.awaited !== null && bytes.includes(this.awaited.words)) {
        pair.answered = this.awaited.answered;
        this.awaited = null;
      }
      if (this.fatalText !== null && bytes.includes(this.fatalText)) client.resetAndDestroy();
      else if (!pair.dead) upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (this.weather === 'deaf') pair.dead = true;
      if (pair.answered !== null) pair.answered({ cut: end });
      else if (!pair.dead) client.write(bytes);
    });
  }
}

function placeOf(target: string): { host: string; port: number } {
  const { hostname, port } = new URL(target);
  return { host: hostname, port: Number(port) };
}

/** A connection whose response is held. */
export interface Withheld {
  /** Breaks the connection instead of forwarding the response. */
  cut(): void;
}

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Whether nothing is forwarded any more. */
  dead: boolean;
  /** Called with the held response. */
  answered: ((withheld: Withheld) => void) | null;
}
