import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import * as id from '../../packages/identifier/src/index.js';
import { REFERENCE, reference } from './reference.js';

it('the reference of the library is made of its docstrings, and has every export', async () => {
  const text = readFileSync(REFERENCE, 'utf8');
  expect(text).toBe(await reference());
  const titles = new Set([...text.matchAll(/^### (\w+)$/gm)].map(([, name]) => name));
  expect(Object.keys(id).filter((name) => !titles.has(name))).toEqual([]);
});
