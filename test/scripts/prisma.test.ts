import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Runs `npm run db:migrate` with an empty data folder, which it must not change. */
function migrateDev(variables: Record<string, string>): { status: number | null; stderr: string } {
  const folder = mkdtempSync(join(tmpdir(), 'prisma-'));
  const { PATH = '', HOME = '' } = process.env;
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/prisma.js'), 'migrate', 'dev'], {
    cwd: folder,
    env: { PATH, HOME, DATA_DIR: folder, ...variables },
    encoding: 'utf8',
  });
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
  expect(stderr).not.toMatch(/^ +at /m);
  return { status, stderr };
}

describe('npm run db:migrate', () => {
  it.each(['/nowhere/schema-engine', join(root, 'package.json')])(
    'without a schema engine says what it needs and does not start a database: %s',
    (path) => {
      const { status, stderr } = migrateDev({ PRISMA_SCHEMA_ENGINE_BINARY: path });
      expect(status).toBe(1);
      expect(stderr).toContain(path);
      expect(stderr).toContain('set PRISMA_SCHEMA_ENGINE_BINARY to the path of this program');
    },
  );

  it('rejects the database of DATABASE_URL', () => {
    const { status, stderr } = migrateDev({
      DATABASE_URL: 'postgresql://role:password@localhost/registry',
      ACCESS: 'open',
      // Any program that succeeds.
      PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('DATABASE_URL is set')]);
  });
});
