import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** A TCP proxy on loopback whose connections can be moved to another server. */
export class SwitchedProxy {
  #sockets = new Set();

  static async to(address, port) {
    const proxy = new SwitchedProxy();
    proxy.target = { host: address, port };
    proxy.server = createServer((socket) => proxy.#join(socket, connect(proxy.target))).listen(0, '127.0.0.1');
    await once(proxy.server, 'listening');
    return proxy;
  }

  get port() {
    return this.server.address().port;
  }

  /** Breaks all connections; later ones lead to the other server. */
  switchTo(address, port) {
    this.target = { host: address, port };
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(...pair) {
    const [one, other] = pair;
    one.pipe(other).pipe(one);
    for (const socket of pair) {
      this.#sockets.add(socket);
      socket.on('error', () => {});
      socket.once('close', () => {
        this.#sockets.delete(socket);
        for (const each of pair) each.destroy();
      });
    }
  }
}
