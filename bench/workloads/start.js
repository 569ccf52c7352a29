import { setTimeout as pause } from 'node:timers/promises';
import { MINT_BODY, post } from '../preconditions.js';
import { residentMb } from '../processes.js';

/** Time after the first mint at which the memory of the start is still in use. */
const SOON_MS = 2000;

/** Time after the first mint at which V8 has released the memory of the start, as it does after about 15 seconds without requests. */
const IDLE_MS = 30_000;

export const start = {
  name: 'start',
  title: 'start on existing data, to the first 201',
  comparisons: [
    { of: 'mintmark', to: 'prisma-baseline', metric: 'startMs', most: 1, aim: 0.8, title: 'time' },
    { of: 'mintmark', to: 'fastify-pg', metric: 'startMs', most: 1.5, title: 'time' },
    { of: 'mintmark', to: 'fastify-pg', metric: 'soonMb', title: 'memory 2 seconds later' },
    { of: 'mintmark', to: 'fastify-pg', metric: 'memoryMb', most: 1.6, title: 'idle memory, 30 seconds later' },
  ],
  async variants({ servers, names, options }) {
    const { database } = await names.of(options.identifiers);
    const variant = (begin) => ({
      run: async () => {
        const server = await begin(database);
        const body = MINT_BODY.replaceAll('{unique}', crypto.randomUUID().replaceAll('-', '').toUpperCase());
        const { status } = await post(`${server.url}/identifiers`, body, { 'idempotency-key': crypto.randomUUID() });
        const startMs = performance.now() - server.started;
        await pause(SOON_MS);
        const soonMb = await residentMb(server.pid);
        if (!options.quick) await pause(IDLE_MS - SOON_MS);
        const memoryMb = await residentMb(server.pid);
        await server.stop();
        const failures = status === 201 ? [] : [`the first mint returned ${status}`];
        // One start has no rate, and the processor time of an ended process is not available.
        const figures = { p50Ms: startMs, soonMb, memoryMb, perSecond: undefined, cpuMicros: undefined };
        return { operations: 1, seconds: startMs / 1000, startMs, ...figures, failures };
      },
    });
    return {
      mintmark: variant((on) => servers.mintmark(on)),
      'fastify-pg': variant((on) => servers.fastifyPg(on)),
      'prisma-baseline': variant((on) => servers.prismaBaseline(on)),
    };
  },
};
