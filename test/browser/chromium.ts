import { readFileSync } from 'node:fs';
import { type Server, createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core';
import { securityHeaders } from '../../dist/http/server/security-headers.js';
import { PAGE_CONTENT_SECURITY_POLICY } from '../../dist/record-page/index.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Starts Chromium without the network of the machine: only addresses of loopback are reachable. */
export function openBrowser(): Promise<Browser> {
  // Chromium rejects its sandbox to root; the tests open their own pages only.
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
  ];
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args });
}

/** A server of pages. */
export interface Served {
  readonly url: string;
  readonly server: Server;
  /** `Origin` of each request of the form. */
  readonly origins: (string | undefined)[];
}

const HEADERS = { 'content-type': 'text/html; charset=utf-8', ...securityHeaders(PAGE_CONTENT_SECURITY_POLICY) };

/** A server on loopback that sends pages with the headers of the service, and redirects the form to another origin. */
export async function servePages(pages: Readonly<Record<string, string>>): Promise<Served> {
  const origins: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const page = pages[request.url ?? ''];
    if (request.method === 'POST') {
      origins.push(request.headers.origin);
      // Another name of loopback than that of the form, so another origin.
      const { port } = server.address() as AddressInfo;
      response.writeHead(302, { location: `http://127.0.0.1:${port}/record` }).end();
    } else if (page === undefined) response.writeHead(404).end();
    else response.writeHead(200, HEADERS).end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, origins };
}

/** A page in a context of its own. */
export async function open(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(url);
  return page;
}

/** The rules of axe that a page breaks, with the elements. The policy of the page does not apply to `evaluate`. */
export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<{ violations: { id: string; nodes: { html: string }[] }[] }>(
    "axe.run(document, { resultTypes: ['violations'] })",
  );
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
