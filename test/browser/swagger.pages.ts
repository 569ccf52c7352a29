import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type TestServer, startServer } from '../e2e/harness/server.js';
import { open, openBrowser } from './chromium.js';

// Real: Chromium, Swagger UI, and the service with a new embedded database. The key is that of the administrator.

const KEY = 'swagger-test-0123456789-abcdefghij';
const folder = mkdtempSync(join(tmpdir(), 'mintmark-swagger-'));
let browser: Browser;
let server: TestServer;
let page: Page;

beforeAll(async () => {
  const access = { ACCESS: 'keys', ADMIN_API_KEY: KEY, PUBLIC_READ: 'true', NAMING_AUTHORITIES: '100.102' };
  server = await startServer({ DATA_DIR: folder, ...access });
  browser = await openBrowser();
  page = await open(browser, `${server.url}/docs`, { viewport: { width: 1280, height: 1000 } });
  // Other tests can use the processors at the same time.
  page.setDefaultTimeout(90_000);
  await page.waitForSelector('.opblock');
  await page.evaluate(`ui.preauthorizeApiKey('apiKey', '${KEY}')`);
});
afterAll(async () => {
  await browser.close();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Opens an operation, and presses Execute on what Swagger UI has filled in. @param id of a path whose ID the service made. */
async function execute(operation: string, id?: string): Promise<{ status: number; body: string }> {
  const block = page.locator(`.opblock[id$="-${operation}"]`);
  await block.locator('.opblock-summary-control').click();
  if (id !== undefined) await block.locator('tr[data-param-name="id"] input').fill(id);
  // The response of a former execution stays until it is cleared, and would be read in place of the new one.
  const clear = block.getByRole('button', { name: 'Clear' });
  if ((await clear.count()) > 0) await clear.click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const response = block.locator('.live-responses-table .response');
  await response.waitFor();
  const status = Number.parseInt(await response.locator('.response-col_status').innerText(), 10);
  const body = await response.innerText();
  await block.locator('.opblock-summary-control').click();
  return { status, body };
}

const idIn = (body: string): string => /"id": "([^"]+)"/.exec(body)?.[1] ?? '';

/** An import registers the identifiers of the examples of paths, and these operations create what the others read. */
const FIRST = ['importIdentifiers', 'mintIdentifier', 'createReservation', 'createApiKey', 'createNamingAuthority'];

describe('Swagger UI of a fresh service', () => {
  it('executes every operation as it is filled in; only an ID that the service has made is copied into its field', async () => {
    const blocks = await page.locator('.opblock').evaluateAll((all) => all.map(({ id }) => id.replace(/^.*-/, '')));
    expect(blocks.length).toBeGreaterThan(34);
    const ids: Record<string, string> = {};
    const statuses: [string, number, string][] = [];
    for (const operation of [...FIRST, ...blocks.filter((block) => !FIRST.includes(block))]) {
      const isSelf = operation === 'getOwnApiKey';
      const kind = operation.endsWith('Reservation')
        ? 'Reservation'
        : operation.endsWith('ApiKey') && !isSelf
          ? 'ApiKey'
          : '';
      // An activated reservation has nothing to release.
      if (operation === 'releaseReservation') ids[kind] = idIn((await execute('createReservation')).body);
      const { status, body } = await execute(
        operation,
        kind === '' || operation.startsWith('create') ? undefined : ids[kind],
      );
      if (operation.startsWith('create') && kind !== '') ids[kind] = idIn(body);
      statuses.push([operation, status, body.slice(0, 500)]);
    }
    expect(statuses.filter(([, status]) => status >= 300)).toEqual([]);
    // The results of items and lines have statuses of their own.
    expect(statuses.filter(([, , body]) => /"status": ?[345]\d\d/.test(body))).toEqual([]);
  }, 400_000);

  it('has no bar of its makers, and its schemas are folded', async () => {
    expect(await page.locator('.topbar').count()).toBe(0);
    expect(await page.locator('section.models').count()).toBe(1);
    expect(await page.locator('section.models.is-open').count()).toBe(0);
  });

  it('shows the examples of lines as lines', async () => {
    for (const operation of ['importIdentifiers', 'mintStream']) {
      const block = page.locator(`.opblock[id$="-${operation}"]`);
      await block.locator('.opblock-summary-control').click();
      const lines = (await block.locator('textarea').first().inputValue()).trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).namingAuthority ?? JSON.parse(line).identifier)).toHaveLength(2);
      await block.locator('.opblock-summary-control').click();
    }
  });

  it('shows an active identifier as the response of a mint', async () => {
    const block = page.locator('.opblock[id$="-mintIdentifier"]');
    await block.locator('.opblock-summary-control').click();
    const shown = await block
      .locator('.responses-table:not(.live-responses-table) .response[data-code="201"]')
      .innerText();
    expect(shown).toContain('"state": "active"');
  });
});
