/**
 * Module hooks of the unit tests: compile tests, replace `@jest/globals`, and load dist/ where a test imports src/, so that unit
 * tests and end-to-end tests run the same code.
 */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { compile } from './transform.js';

const ROOT = new URL('../../', import.meta.url).href;
const GLOBALS = new URL('globals.js', import.meta.url).href;

export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  if (!specifier.startsWith('.') || !context.parentURL?.startsWith(`${ROOT}test/`)) return next(specifier, context);
  const { href } = new URL(specifier, context.parentURL);
  const compiled = href.replace(ROOT, '').replace(/^(packages\/[^/]+\/)?src\//, '$1dist/');
  if (compiled.startsWith('dist/') || compiled.startsWith('packages/')) return next(ROOT + compiled, context);
  const typescript = href.replace(/\.js$/, '.ts');
  return next(existsSync(fileURLToPath(typescript)) ? typescript : href, context);
}

export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  return { format: 'module', source: compile(await readFile(path, 'utf8'), path), shortCircuit: true };
}
