import { Gauge, type Registry } from 'prom-client';

/** Exports what `read` returns at each scrape. */
export function gauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}
