// A registry of npm with one package, `node test/package/registry.js ARCHIVE UPSTREAM`: it redirects requests for others to UPSTREAM. It
// prints its URL. npm installs a package of a registry by other rules than an archive.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [archive, upstream] = process.argv.slice(2);
const bytes = readFileSync(archive);
const manifest = JSON.parse(execFileSync('tar', ['-xOzf', archive, 'package/package.json'], { encoding: 'utf8' }));
const files = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n');
const { name, version } = manifest;
const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;

const server = createServer((request, response) => {
  const url = `http://127.0.0.1:${server.address().port}`;
  if (request.url === `/${name}`) {
    const dist = { tarball: `${url}/${name}/-/${name}-${version}.tgz`, integrity };
    const versions = {
      [version]: { ...manifest, dist, _hasShrinkwrap: files.includes('package/npm-shrinkwrap.json') },
    };
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }));
  } else if (request.url.startsWith(`/${name}/-/`)) response.end(bytes);
  else response.writeHead(302, { location: new URL(request.url.slice(1), upstream).href }).end();
});
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/`);
});
