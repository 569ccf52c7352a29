import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { open, openBrowser } from './chromium.js';

// Real: Chromium, and the package as esbuild bundles it for a page.

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser.close());

it('a program that uses the package runs in a page', async () => {
  const entry = fileURLToPath(new URL('../identifier/programs/browser.js', import.meta.url));
  const { outputFiles } = await build({ entryPoints: [entry], bundle: true, write: false, format: 'iife' });
  const page = await open(browser, 'about:blank');
  await page.addScriptTag({ content: outputFiles[0]!.text });
  for (const [typed, shown] of [
    [' doi:10.1000/\u00E9 b ', 'hdl:10.1000/%C3%A9%20b'],
    ['{F58FB49E-B1F8-48F0-A606-E84CEF294BE5}', 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5'],
    ['info:fedora/demo%3a1', 'info:fedora/demo:1'],
    ['hdl:10.1000/a%ZZ', 'INVALID_PERCENT_ENCODING at 13'],
  ] as const) {
    await page.locator('input').fill(typed);
    expect(await page.locator('output').innerText()).toBe(shown);
  }
});
