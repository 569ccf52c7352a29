import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** Stands between a service and its database, and can withhold what the database answers. */
export interface DatabaseProxy {
  /** The database's address through the proxy. */
  readonly url: string;
  /**
   * Lets the next request that holds these words reach the database, and keeps the answer.
   * @returns once the database has answered: what the request did is done then.
   */
  withholdAnswerTo(words: string): Promise<Withheld>;
  stop(): Promise<void>;
}

/** A connection whose answer waits. */
export interface Withheld {
  /** Breaks the connection instead of giving the answer. */
  cut(): void;
}

/** @param databaseUrl the `postgresql://` address of the real database. */
export async function startDatabaseProxy(databaseUrl: string): Promise<DatabaseProxy> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let waiting: { words: string; answered: (withheld: Withheld) => void } | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let withholding: ((withheld: Withheld) => void) | null = null;
    const cut = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', cut);
      socket.on('close', cut);
    }
    client.on('data', (chunk) => {
      if (waiting !== null && chunk.includes(waiting.words)) {
        withholding = waiting.answered;
        waiting = null;
      }
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => {
      if (withholding === null) client.write(chunk);
      else withholding({ cut });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    withholdAnswerTo: (words) => new Promise((answered) => (waiting = { words, answered })),
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
