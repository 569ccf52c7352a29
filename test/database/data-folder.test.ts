import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type DataFolder, ensureCluster, folderAt, removeUnfinished } from '../../src/database/embedded/data-folder.js';
import type { PostgresAccount } from '../../src/database/embedded/postgres-account.js';
import type { PostgresBinaries } from '../../src/database/embedded/postgres-binaries.js';

let folder: DataFolder;

beforeEach(async () => {
  folder = folderAt(await mkdtemp(join(tmpdir(), 'mintmark-folder-')));
});

afterEach(async () => {
  await rm(folder.path, { recursive: true, force: true });
});

const binaries = { initdb: 'initdb' } as PostgresBinaries;

/** An account whose `initdb` fails after `work`. */
const failing = (work: () => Promise<void>): PostgresAccount => ({
  own: () => Promise.resolve(),
  run: async () => {
    await work();
    return { code: 1, output: 'could not create a file' };
  },
});

describe('two first starts on one data folder', () => {
  it('the slower one takes the cluster of the faster one, which may have removed its files', async () => {
    const account = failing(async () => {
      await mkdir(folder.cluster);
      await writeFile(join(folder.cluster, 'PG_VERSION'), '18\n');
    });
    await expect(ensureCluster(folder, binaries, account)).resolves.toBeUndefined();
    expect((await readdir(folder.path)).sort()).toEqual(['postgres', 'postgres.password']);
  });

  it('without a faster one, the error of initdb ends the start', async () => {
    const account = failing(() => Promise.resolve());
    await expect(ensureCluster(folder, binaries, account)).rejects.toThrow('could not create a file');
  });

  it('the faster one starts although files of the slower one cannot be removed', async () => {
    const unfinished = join(folder.path, 'postgres.unfinished-a');
    await mkdir(unfinished);
    // Folders in folders until the path is longer than PATH_MAX: removal by path fails, also for root.
    const nest = 'while mkdir "$0" && cd "$0"; do :; done';
    spawnSync('sh', ['-c', nest, 'd'.repeat(250)], { cwd: unfinished });
    try {
      await expect(removeUnfinished(folder)).resolves.toBeUndefined();
      expect(await readdir(folder.path)).toEqual(['postgres.unfinished-a']);
    } finally {
      spawnSync('rm', ['-rf', unfinished]);
    }
  });
});
