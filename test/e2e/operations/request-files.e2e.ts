import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

const path = (name: string) => fileURLToPath(new URL(`../../../${name}`, import.meta.url));
const ROWS: Record<string, string> = {
  mint: 'POST /identifiers',
  lookup: 'GET /identifiers/{identifier}',
  PATCH: 'PATCH /identifiers/{identifier}',
  withdraw: 'POST /identifiers/{identifier}/withdraw',
};

describe('the table of the files of a request', () => {
  it('has what requests run through, within two files', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [path('scripts/request-files.js')]);
    const measured = JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, number>;
    const text = readFileSync(path('docs/explanation/architecture.md'), 'utf8');
    const table = Object.fromEntries(
      [...text.matchAll(/^\| `((?:GET|POST|PATCH) [^`]+)` +\| +(\d+) \|$/gm)].map(([, name, count]) => [
        name,
        Number(count),
      ]),
    );
    for (const [name, row] of Object.entries(ROWS)) {
      expect([name, Math.abs(measured[name]! - table[row]!) <= 2, measured[name]]).toEqual([
        name,
        true,
        measured[name],
      ]);
    }
  }, 120_000);
});
