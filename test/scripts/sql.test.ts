import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';

const script = fileURLToPath(new URL('../../scripts/sql.js', import.meta.url));
const print = (...args: string[]) => spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });

it('prints a statement that no module exports, as it is sent, with its file', () => {
  const { status, stdout } = print('CONFLICTS');
  expect(status).toBe(0);
  expect(stdout).toMatch(/^-- storage\/identifiers\/conflict-finder\.js\nWITH w AS \(/);
  expect(stdout).toContain('FROM identifier_record x WHERE x.id = b.id');
  expect(stdout).not.toContain('${');
});

it('prints the names without one, and fails for another one', () => {
  expect(print().stdout).toMatch(/^INSERT_ONE +storage\/identifiers\/insert-statement\.js$/m);
  const { status, stderr } = print('NOTHING');
  expect([status, stderr]).toEqual([1, 'there is no statement NOTHING; npm run sql prints the names\n']);
});
