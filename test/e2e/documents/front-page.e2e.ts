import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const { na } = service;

describe('GET /', () => {
  const page = (headers: Record<string, string>) => fetch(`${service.server.url}/`, { headers });

  it('is a short page with links that resolve and a command that mints', async () => {
    const response = await page({ accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8' });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const html = await response.text();
    expect(html.length).toBeLessThan(12_000);
    const links = [...html.matchAll(/href="([^"]+)"/g)].map(([, link = '']) => link);
    expect(links).toEqual(expect.arrayContaining(['/docs', '/docs/tutorial.md', '/health/ready']));
    for (const link of links.map((each) => each.replaceAll('&amp;', '&'))) {
      expect([link, (await fetch(service.server.url + link)).status]).toEqual([link, 200]);
    }
    expect(html).toContain(`curl ${service.server.url}/identifiers`);
  });

  it('has the look of the record page, a form that shows a record, and the policy of both', async () => {
    const response = await page({ accept: 'text/html' });
    const html = await response.text();
    expect(html).toContain('<style>\n:root{color-scheme:light dark;');
    expect(html).toMatch(/<form method="post" action="\/">[^]*name="hdl"[^]*name="noredirect" value="true"/);
    expect(html).toMatch(/<h2>See one<\/h2>[^]*<h2>Mint one<\/h2>/);
    const { body } = await service.client.mint({ target: 'https://repo.example.org/objects/1' });
    const form = new URLSearchParams({ hdl: body.identifier, noredirect: 'true' });
    const shown = await fetch(`${service.server.url}/`, { method: 'POST', body: form, redirect: 'manual' });
    expect([shown.status, (await shown.text()).includes(`<h1>${body.identifier}</h1>`)]).toEqual([200, true]);
    expect(response.headers.get('content-security-policy')).toBe(shown.headers.get('content-security-policy'));
  });

  it('is no page for a Host that is no host', async () => {
    const { hostname, port } = new URL(service.server.url);
    const html = await new Promise<string>((resolve) => {
      let text = '';
      const socket = connect(Number(port), hostname, () => {
        socket.end(
          'GET / HTTP/1.1\r\nHost: "<script>alert(1)</script>\r\nAccept: text/html\r\nConnection: close\r\n\r\n',
        );
      });
      socket
        .on('data', (chunk) => (text += chunk.toString()))
        .on('end', () => {
          resolve(text);
        });
    });
    expect(html).toMatch(/^HTTP\/1\.1 421 [^]*\r\ncontent-type: application\/problem\+json/);
    expect(html).not.toContain('text/html');
  });
});

describe('what browsers and crawlers request of every site', () => {
  it('is an icon', async () => {
    const response = await fetch(`${service.server.url}/favicon.ico`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'image/vnd.microsoft.icon']);
    // ICO: a reserved 0, the type 1, one image of 32 by 32 pixels.
    expect([...Buffer.from(await response.arrayBuffer()).subarray(0, 8)]).toEqual([0, 0, 1, 0, 1, 0, 32, 32]);
  });

  it('is a list of what crawlers leave out: lists and feeds, and no record', async () => {
    const response = await fetch(`${service.server.url}/robots.txt`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8']);
    const lines = (await response.text()).trimEnd().split('\n');
    expect(lines[0]).toBe('User-agent: *');
    expect(lines).toEqual(expect.arrayContaining(['Disallow: /events', 'Disallow: /identifiers/export']));
    expect(
      lines.some((line) => ['Disallow: /', 'Disallow: /identifiers', 'Disallow: /identifiers/'].includes(line)),
    ).toBe(false);
  });
});

describe('a JSON body', () => {
  it.each([
    ['an identifier', 'POST', '/identifiers', 201, { namingAuthority: na }],
    ['a batch', 'POST', '/identifiers/batch', 200, { namingAuthority: na, count: 2 }],
    ['a page', 'GET', '/identifiers', 200, undefined],
    ['events', 'GET', '/events', 200, undefined],
    ['a normalisation', 'POST', '/normalize', 200, { items: [{ input: '100.102/x' }] }],
    ['health', 'GET', '/health/live', 200, undefined],
    ['a problem of a route', 'POST', '/identifiers', 400, {}],
    ['a problem without a route', 'GET', '/nowhere', 404, undefined],
    ['a problem of the router', 'GET', '/identifiers/%zz', 400, undefined],
  ])('ends with a newline, and its length counts it: %s', async (_, method, path, status, body) => {
    const init =
      body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const response = await fetch(service.server.url + path, { method, ...init });
    const text = await response.text();
    expect([response.status, text]).toEqual([status, expect.stringMatching(/[}\]]\n$/)]);
    expect(JSON.parse(text)).toBeInstanceOf(Object);
    const length = response.headers.get('content-length');
    if (length !== null) expect(Number(length)).toBe(Buffer.byteLength(text));
  });

  it('has the same length in the response to HEAD', async () => {
    const lengths = [];
    for (const method of ['GET', 'HEAD']) {
      const { headers } = await fetch(`${service.server.url}/health/live`, { method });
      lengths.push(headers.get('content-length'));
    }
    // {"state":"ok","version":"0.1.0-beta.1"} and the newline
    expect(lengths).toEqual(['40', '40']);
  });
});
