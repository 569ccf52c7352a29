import { spawn } from 'node:child_process';
import { expect } from '@jest/globals';
import { PUBLISHED } from './programs.js';

interface Finding {
  readonly check: string;
  readonly state: string;
  readonly detail: string;
}

/** Where `mintmark doctor` runs: a folder without settings, and a port at which no service listens. */
export interface Place {
  readonly folder: string;
  readonly port: number;
}

export async function runDoctor(
  { folder, port }: Place,
  variables: Record<string, string>,
  args: readonly string[],
): Promise<{ status: unknown; stdout: string; stderr: string }> {
  const env = { PATH: process.env.PATH!, PORT: String(port), ACCESS: 'open', ...variables };
  const child = spawn(process.execPath, [PUBLISHED, 'doctor', ...args], { cwd: folder, env });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const status = await new Promise((resolve) => child.once('close', resolve));
  return { status, stdout, stderr };
}

/** The findings that are not "ok", and the exit code. */
export async function problemsOf(
  place: Place,
  variables: Record<string, string>,
  ...args: string[]
): Promise<{ status: unknown; found: Finding[] }> {
  const { status, stdout, stderr } = await runDoctor(place, variables, ['--json', ...args]);
  expect(stderr).toBe('');
  const { findings } = JSON.parse(stdout) as { findings: Finding[] };
  return { status, found: findings.filter(({ state }) => state !== 'ok') };
}

export const isOne = (state: string, check: string, detail: RegExp) => ({
  status: state === 'error' ? 1 : 0,
  found: [{ check, state, detail: expect.stringMatching(detail) }],
});
