import { mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeLinks } from '../../src/database/embedded/postgres-binaries.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mintmark-binaries-'));
  mkdirSync(join(folder, 'native/lib'), { recursive: true });
  writeFileSync(join(folder, 'native/lib/libpq.so.5.18'), 'code');
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe('a platform package that was installed without its install script', () => {
  const link = (source: string, target: string) => ({ source: `native/${source}`, target: `native/${target}` });

  it('gets the links of its list, each relative to its own folder, and keeps those that it has', async () => {
    const links = [link('lib/libpq.so.5.18', 'lib/libpq.so.5'), link('lib/libpq.so.5.18', 'libpq.so')];
    writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify(links));
    for (const run of [1, 2]) {
      await makeLinks(folder);
      expect([run, readFileSync(join(folder, 'native/lib/libpq.so.5'), 'utf8')]).toEqual([run, 'code']);
      expect(readlinkSync(join(folder, 'native/libpq.so'))).toBe(join('lib', 'libpq.so.5.18'));
    }
  });

  it('names the command that makes them, where its folder may not be changed', async () => {
    writeFileSync(join(folder, 'native/pg-symlinks.json'), JSON.stringify([link('lib/libpq.so.5.18', 'lib/none/x')]));
    await expect(makeLinks(folder)).rejects.toThrow(/without its symbolic links: .* Run "npm rebuild" with an account/);
  });

  it('needs none where the package has no list', async () => {
    await expect(makeLinks(folder)).resolves.toBeUndefined();
  });
});
