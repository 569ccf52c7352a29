import { connect } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const SECURITY_HEADERS = {
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const service = useService({ REQUEST_TIMEOUT_MS: '1000' });

/** Sends bytes; returns the status line, headers by lower-case name, and body of the response. */
function raw(bytes: string): Promise<{ head: string; headers: Map<string, string>; body: string }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.server.url);
    const socket = connect(Number(port), hostname, () => socket.write(bytes, 'latin1'));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
      const headers = head
        .split('\r\n')
        .slice(1)
        .map((line): [string, string] => [line.split(':', 1)[0]?.toLowerCase() ?? '', line.replace(/^[^:]*: /, '')]);
      resolve({ head, headers: new Map(headers), body });
    });
  });
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;

/** One response of each kind: of a controller, a rejection before routing, and one written directly to the socket. */
const ANSWERS: [string, string][] = [
  ['an answer', get('/identifiers')],
  ['a health check', get('/health/live')],
  ['metrics', get('/metrics')],
  ['a rejection', get('/identifiers/100.102%2Fx')],
  ['a path that is not served', get('/nowhere')],
  ['a method that is not served', 'DELETE /identifiers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ['OPTIONS', 'OPTIONS /identifiers HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'],
  ['a malformed URL', get('/%zz')],
  ['a target that is no path', get('*')],
  ['a parameter that is too long', get(`/identifiers/${'a'.repeat(33_000)}`)],
  ['no Host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n'],
  ['two Hosts', 'GET / HTTP/1.1\r\nHost: localhost\r\nHOST: localhost\r\nConnection: close\r\n\r\n'],
  ['broken HTTP', 'BROKEN\r\n\r\n'],
  ['headers that are too large', `GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: ${'a'.repeat(70_000)}\r\n\r\n`],
  ['a request that never ends', 'POST /identifiers HTTP/1.1\r\nHost: localhost\r\n'],
];

describe.each(ANSWERS)('%s', (_, bytes) => {
  it('has the security headers, and none that names the software', async () => {
    const { head, headers } = await raw(bytes);
    expect(head).toMatch(/^HTTP\/1\.1 [2-4]\d\d /);
    expect(Object.fromEntries(headers)).toMatchObject(SECURITY_HEADERS);
    expect([...headers.keys()].filter((name) => /^(server|x-powered-by|via|x-aspnet.*)$/.test(name))).toEqual([]);
    expect(head).not.toMatch(/fastify|nest|express|node|helmet/i);
  });
});

// Metrics show operators the state of Node.js.
describe.each(ANSWERS.filter(([name]) => name !== 'metrics'))('%s', (_, bytes) => {
  it('shows no stack, no file and no library', async () => {
    const { body } = await raw(bytes);
    expect(body).not.toMatch(/\bat .*:\d+:\d+|\.[cm]?[jt]s\b|node_modules|node:|FST_|Prisma|HttpException/);
  });
});

describe('a request with two Host fields', () => {
  it('RFC 9112 3.2: is 400 in every version of HTTP and for every path', async () => {
    for (const start of ['GET /identifiers HTTP/1.1', 'GET /identifiers HTTP/1.0', 'GET /100.102/x HTTP/1.1']) {
      const { head, body } = await raw(`${start}\r\nHost: localhost\r\nhost: a.example\r\nConnection: close\r\n\r\n`);
      expect([start, head.split('\r\n', 1)[0], JSON.parse(body).code]).toEqual([
        ...[start, 'HTTP/1.1 400 Bad Request', 'MALFORMED_HTTP'],
      ]);
    }
  });
});

describe('the policy of a response', () => {
  it('forbids loading and framing', async () => {
    const policy = (await raw(get('/identifiers'))).headers.get('content-security-policy');
    expect(policy).toMatch(/^default-src 'none'; /);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
  });
});

describe('the policy of Swagger UI', () => {
  const page = async () => {
    const answer = await fetch(`${service.server.url}/docs`);
    return { policy: answer.headers.get('content-security-policy') ?? '', html: await answer.text() };
  };
  const sources = (policy: string, directive: string) =>
    policy
      .split(';')
      .map((entry) => entry.trim().split(' '))
      .find(([name]) => name === directive)
      ?.slice(1);

  it("allows scripts, calls and images of this host only, and inline styles, but no inline script and no 'eval'", async () => {
    const { policy } = await page();
    expect(sources(policy, 'default-src')).toEqual(["'none'"]);
    expect(sources(policy, 'script-src')).toEqual(["'self'"]);
    expect(sources(policy, 'connect-src')).toEqual(["'self'"]);
    expect(sources(policy, 'style-src')).toEqual(["'self'", "'unsafe-inline'"]);
    expect(sources(policy, 'img-src')).toEqual(["'self'", 'data:']);
    expect(sources(policy, 'frame-ancestors')).toEqual(["'none'"]);
  });

  it('forbids nothing that the page has: every script is a file of this host, and no element has a handler', async () => {
    const { html } = await page();
    const scripts = [...html.matchAll(/<script\b([^>]*)>([\s\S]*?)<\/script>/g)];
    expect(scripts).toHaveLength(2);
    for (const [, attributes = '', inline = ''] of scripts) {
      expect(inline.trim()).toBe('');
      expect(attributes).toMatch(/src="\.?\/[^/]/);
    }
    expect(html).not.toMatch(/\son[a-z]+=|javascript:/i);
  });

  it('is on the page and its files only', async () => {
    for (const path of ['/docs', '/docs/', '/docs/index.html', '/docs/swagger-ui.css', '/docs/swagger-ui-init.js']) {
      const { headers } = await fetch(service.server.url + path);
      expect([path, headers.get('content-security-policy')]).toEqual([path, (await page()).policy]);
    }
    for (const path of ['/openapi.json', '/documents', '/docsify', '/problems']) {
      const { headers } = await fetch(service.server.url + path);
      expect([path, headers.get('content-security-policy')]).toEqual([
        path,
        SECURITY_HEADERS['content-security-policy'],
      ]);
    }
  });

  it('uses no validator of another host', async () => {
    const script = await (await fetch(`${service.server.url}/docs/swagger-ui-init.js`)).text();
    expect(script).toContain('validatorUrl: null');
  });
});

describe('a request that a browser sends for a page', () => {
  const reinstate = (site: string) =>
    service.client.send('POST', '/identifiers/100.102/F58FB49EB1F848F0A606E84CEF294BE5/reinstate', {
      'sec-fetch-site': site,
    });

  it.each(['cross-site', 'same-site'])(
    'of another origin (%s) changes nothing, though it needs no preflight',
    async (site) => {
      const { status, body } = await reinstate(site);
      expect([status, body.code]).toEqual([403, 'CROSS_SITE_REQUEST']);
      const read = await service.client.get('/identifiers', { 'sec-fetch-site': site });
      expect(read.status).toBe(200);
    },
  );

  it.each(['same-origin', 'none'])('of its own (%s), such as Swagger UI, is served', async (site) => {
    expect((await reinstate(site)).body.code).toBe('IDENTIFIER_NOT_FOUND');
  });
});
