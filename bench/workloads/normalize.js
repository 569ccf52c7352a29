import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { post } from '../preconditions.js';
import { load } from '../load/load.js';

const ITEMS = 1000;
const CONNECTIONS = 4;

/** A generator for each form, with a different text for each `n`. The texts of the last one, a tenth of all, are malformed. */
const FORMS = [
  (n) => `100.102/${hex(n)}`,
  (n) => `10.1045/april${n}-paskin`,
  (n) => `hdl:100.102/${hex(n).toLowerCase()}`,
  (n) => `HDL://100.102/${hex(n)}`,
  (n) => `https://hdl.handle.net/100.102/${hex(n)}`,
  (n) => `info:hdl/1234/a%20b${n}`,
  (n) => `demo:${n}`,
  (n) => `info:fedora/demo:${n}/DC`,
  (n) => hex(n),
  (n) => `https://hdl.handle.net/100.102/%zz${n}`,
];

export const normalize = {
  name: 'normalize',
  title: `normalize ${ITEMS} mixed texts, ${CONNECTIONS} connections`,
  comparisons: [
    { of: 'mintmark', to: 'fastify-json', least: 0.5, aim: 0.7 },
    { of: 'mintmark', to: 'fastify', least: 0.5 },
  ],
  async variants({ cluster, servers }) {
    await cluster.createDatabase('normalize');
    const server = await servers.mintmark('normalize');
    const items = Array.from({ length: ITEMS }, (_, n) => ({ input: FORMS[n % FORMS.length](n) }));
    const request = { method: 'POST', path: '/normalize', body: JSON.stringify({ items }) };
    const { json, text } = await post(`${server.url}/normalize`, request.body);
    const responseFile = join(cluster.folder, 'normalize-response.json');
    await writeFile(responseFile, text);
    const variant = (running) => ({
      server: running,
      run: (seconds) => load({ folder: cluster.folder, url: running.url, request, connections: CONNECTIONS, seconds }),
    });
    const wrong = json.items.filter(({ valid }, n) => valid !== n % FORMS.length < FORMS.length - 1).length;
    return {
      mintmark: { ...variant(server), verify: () => (wrong === 0 ? [] : [`${wrong} results have the wrong validity`]) },
      fastify: variant(await servers.fastify(responseFile)),
      'fastify-json': variant(await servers.fastifyJson(responseFile)),
    };
  },
};

function hex(n) {
  return (n * 2654435761).toString(16).toUpperCase().padStart(32, 'F58FB49EB1F848F0A606E84CEF294BE5');
}
