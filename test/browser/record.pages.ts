import { mkdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type Served, open, openBrowser, servePages, violations } from './chromium.js';
import { HOSTILE, PAGES } from './pages.js';

// Real: Chromium, the pages of the build and their Content-Security-Policy. Replaced: the service, by a server of pages.

let browser: Browser;
let served: Served;

beforeAll(async () => {
  browser = await openBrowser();
  served = await servePages(PAGES);
});
afterAll(async () => {
  await browser.close();
  served.server.close();
});

const WIDTHS = [320, 1024];
const SCHEMES = ['light', 'dark'] as const;

describe.each(Object.keys(PAGES))('the page %s', (path) => {
  it.each(SCHEMES)('has no fault of accessibility that axe finds: %s, narrow and wide', async (colorScheme) => {
    for (const width of WIDTHS) {
      const page = await open(browser, served.url + path, { colorScheme, viewport: { width, height: 800 } });
      expect([width, await violations(page)]).toEqual([width, []]);
      await page.context().close();
    }
  });

  it('WCAG 2.2 1.4.10: needs no horizontal scrolling at 320 pixels, nor with a font of twice the size', async () => {
    for (const zoom of [1, 2]) {
      const page = await open(browser, served.url + path, { viewport: { width: 320, height: 800 } });
      await page.evaluate(`document.documentElement.style.setProperty('font-size', '${100 * zoom}%')`);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect([zoom, width]).toEqual([zoom, 320]);
      await page.context().close();
    }
  });

  it('runs no script but its own, loads nothing and breaks no policy', async () => {
    const page = await open(browser, 'about:blank');
    const seen: string[] = [];
    page.on('console', (message) => seen.push(message.text()));
    page.on('pageerror', (error) => seen.push(error.message));
    page.on('dialog', (dialog) => {
      seen.push(dialog.message());
      void dialog.dismiss();
    });
    page.on('request', (request) => seen.push(request.url()));
    await page.goto(served.url + path);
    expect(seen).toEqual([served.url + path]);
    await page.context().close();
  });

  it('has the same text without JavaScript, except the copy buttons', async () => {
    const texts: string[] = [];
    for (const javaScriptEnabled of [true, false]) {
      const page = await open(browser, served.url + path, { javaScriptEnabled });
      const buttons = page.locator('button[data-copy]');
      const visible = await page.locator('button[data-copy]:visible').count();
      expect(visible).toBe(javaScriptEnabled ? await buttons.count() : 0);
      if (javaScriptEnabled)
        await page.evaluate("document.querySelectorAll('[data-copy]').forEach((each) => each.remove())");
      texts.push((await page.locator('main').innerText()).replaceAll(/\s+/g, ' '));
      await page.context().close();
    }
    expect(texts[0]).toMatch(/[a-z]{4}/);
    expect(texts[0] === texts[1]).toBe(true);
  });
});

describe('a copy button', () => {
  it('copies exactly the text of its row, and says so to screen readers', async () => {
    const page = await open(browser, `${served.url}/record`, { permissions: ['clipboard-read', 'clipboard-write'] });
    const texts = [
      ['the identifier', '100.102/F58FB49EB1F848F0A606E84CEF294BE5'],
      ['the Web address', 'http://hdl.handle.net/100.102/F58FB49EB1F848F0A606E84CEF294BE5'],
      ['the hdl URI, CORDRA host form', 'hdl://100.102/F58FB49EB1F848F0A606E84CEF294BE5'],
      ['the info URI', 'info:hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5'],
    ];
    for (const [what, text] of texts) {
      await page.getByRole('button', { name: `Copy ${what}`, exact: true }).click();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(text);
      expect(await page.getByRole('status').innerText()).toBe(`Copied: ${text}`);
    }
  });

  it('works where the browser has no clipboard interface, as on plain http', async () => {
    const page = await open(browser, 'about:blank', { permissions: ['clipboard-read'] });
    await page
      .context()
      .addInitScript(
        "globalThis.CLIPBOARD = navigator.clipboard; Object.defineProperty(navigator, 'clipboard', { value: undefined })",
      );
    await page.goto(`${served.url}/hostile`);
    await page.getByRole('button', { name: 'Copy the identifier', exact: true }).click();
    expect(await page.getByRole('status').innerText()).toBe(`Copied: ${HOSTILE}`);
    const reader = await page.context().newPage();
    await reader.goto(`${served.url}/record`);
    await reader.bringToFront();
    expect(await reader.evaluate('CLIPBOARD.readText()')).toBe(HOSTILE);
  });

  it('can be used with the keyboard alone, with a visible focus', async () => {
    const page = await open(browser, `${served.url}/record`, { permissions: ['clipboard-read', 'clipboard-write'] });
    const focused = (expression: string) => page.evaluate(`document.activeElement${expression}`);
    for (let presses = 0; presses < 10 && (await focused('.dataset?.copy')) === undefined; presses++) {
      await page.keyboard.press('Tab');
    }
    expect(await focused('.textContent')).toBe('Copy the identifier');
    expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
    await page.keyboard.press('Enter');
    expect(await page.getByRole('status').innerText()).toMatch(/^Copied: 100\.102\//);
  });
});

describe('the form', () => {
  it('names its origin, and leads to a target of another one, which the policy permits', async () => {
    const page = await open(browser, served.url.replace('127.0.0.1', 'localhost'));
    await page.getByLabel('An identifier, in any form').fill('100.102/F58FB49EB1F848F0A606E84CEF294BE5');
    await page.getByRole('button', { name: 'Show the record' }).click();
    await page.waitForURL(`${served.url}/record`);
    // "null" under the policy "no-referrer" of the header, which a service with ACCESS=open rejects.
    expect(served.origins).toEqual([served.url.replace('127.0.0.1', 'localhost')]);
    expect(await page.title()).toBe('100.102/F58FB49EB1F848F0A606E84CEF294BE5 · Mintmark');
  });
});

const pictures = process.env.PAGE_PICTURES === '1' ? describe : describe.skip;

pictures('docs/pictures (needs --pictures)', () => {
  it.each([
    ['record', '/record', 'light', 860],
    ['record-dark-320', '/record', 'dark', 320],
    ['withdrawn', '/withdrawn', 'light', 860],
    ['unknown', '/unknown', 'light', 860],
  ] as const)('%s.png is written', async (name, path, colorScheme, width) => {
    const folder = fileURLToPath(new URL('../../docs/pictures/', import.meta.url));
    mkdirSync(folder, { recursive: true });
    const page = await open(browser, served.url + path, { colorScheme, viewport: { width, height: 800 } });
    const picture = await page.screenshot({ path: `${folder}${name}.png` });
    expect(picture.length).toBeLessThan(150_000);
    await page.context().close();
  });
});
