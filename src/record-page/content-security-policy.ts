import { hash } from 'node:crypto';
import { SCRIPT } from './script.js';
import { SHORT_STYLE, STYLE } from './style.js';

const digest = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`;

/**
 * The Content-Security-Policy of every page: its own styles and script by their digests, its icon, and nothing else. `form-action`
 * permits http and https, because browsers apply it to the redirect from the form to the target too.
 */
export const PAGE_CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "base-uri 'none'",
  'form-action http: https:',
  // The icon of the service, /favicon.ico.
  "img-src 'self'",
  "frame-ancestors 'none'",
  `script-src ${digest(SCRIPT)}`,
  `style-src ${digest(STYLE)} ${digest(SHORT_STYLE)}`,
].join('; ');
