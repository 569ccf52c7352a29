import { load } from '../load/load.js';
import { writeResponse } from './resolve.js';

const PATH = '/health/live';
const CONNECTIONS = 64;

export const floor = {
  name: 'floor',
  title: `GET ${PATH}, overhead of every request, ${CONNECTIONS} connections`,
  comparisons: [{ of: 'mintmark', to: 'fastify', metric: 'cpuMicros', most: 1.7, title: 'processor time' }],
  async variants({ cluster, servers }) {
    await cluster.createDatabase('floor');
    const server = await servers.mintmark('floor');
    const variant = (running) => ({
      server: running,
      run: (seconds) =>
        load({
          folder: cluster.folder,
          url: running.url,
          request: { path: PATH },
          connections: CONNECTIONS,
          seconds,
        }),
    });
    return {
      mintmark: variant(server),
      fastify: variant(await servers.fastifyRedirect(await writeResponse(cluster, server, PATH))),
    };
  },
};
