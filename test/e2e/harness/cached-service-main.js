// The built service with one more port: GET /?namingAuthority=…&guid=… reads a record as resolution does, through the cache
// of the process. Prints the URLs of the service and of that port as a line of JSON.
import { createServer } from 'node:http';
import { createApplication } from '../../../dist/app.setup.js';
import { readConfig } from '../../../dist/config/config.js';
import { createPools } from '../../../dist/database/pool.js';
import { Cursors } from '../../../dist/http/cursor.js';
import { createLogger } from '../../../dist/logging/logger.js';
import { RecordCache } from '../../../dist/storage/identifiers/cache/record-cache.js';
import { loadCursorSecret } from '../../../dist/storage/cursor-secret.js';

const config = readConfig();
const logger = createLogger('silent');
const pools = createPools(config.database.url, config, logger);
const { app, prepare } = await createApplication(config, pools, logger);
app.get(Cursors).useSecret(await loadCursorSecret(pools.general));
await prepare();
await app.listen(0, '127.0.0.1');
const cache = app.get(RecordCache);

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url, 'http://127.0.0.1');
  const { hits, misses, entries } = cache;
  if (!searchParams.has('guid')) {
    response.end(JSON.stringify({ hits, misses, entries }));
    return;
  }
  const { namingAuthority, guid } = Object.fromEntries(searchParams);
  cache.find({ namingAuthority, guid, localKey: null }).then(
    (record) => {
      const text = JSON.stringify(record, (_, value) => (typeof value === 'bigint' ? String(value) : value));
      response.end(text);
    },
    (error) => {
      response.statusCode = 500;
      response.end(String(error));
    },
  );
});
server.listen(0, '127.0.0.1', async () => {
  console.log(JSON.stringify({ url: await app.getUrl(), reads: `http://127.0.0.1:${server.address().port}` }));
});
process.once('SIGTERM', async () => {
  server.close();
  server.closeAllConnections();
  await app.close();
});
