import { setTimeout as pause } from 'node:timers/promises';
import { MINT_BODY, post } from '../gates.js';
import { residentMb } from '../processes.js';

/** How long a process is left alone before its memory is called idle. */
const QUIET_MS = 2000;

export const start = {
  name: 'start',
  title: 'start on existing data, to the first 201',
  comparisons: [
    { of: 'mintmark', to: 'fastify-pg', metric: 'startMs', most: 1.5, title: 'time' },
    { of: 'mintmark', to: 'fastify-pg', metric: 'memoryMb', most: 1.6, title: 'idle memory' },
  ],
  async contestants({ servers, names, options }) {
    const { database } = await names.of(options.identifiers);
    const contestant = (begin) => ({
      run: async () => {
        const server = await begin(database);
        const body = MINT_BODY.replaceAll('{unique}', crypto.randomUUID().replaceAll('-', '').toUpperCase());
        const { status } = await post(`${server.url}/identifiers`, body, { 'idempotency-key': crypto.randomUUID() });
        const startMs = performance.now() - server.started;
        await pause(QUIET_MS);
        const memoryMb = await residentMb(server.pid);
        await server.stop();
        const failures = status === 201 ? [] : [`the first mint was answered with ${status}`];
        // One start is no rate, and the processor time of a process that has ended is not counted.
        const figures = { p50Ms: startMs, memoryMb, perSecond: undefined, cpuMicros: undefined };
        return { operations: 1, seconds: startMs / 1000, startMs, ...figures, failures };
      },
    });
    return {
      mintmark: contestant((on) => servers.mintmark(on)),
      'fastify-pg': contestant((on) => servers.fastifyPg(on)),
    };
  },
};
