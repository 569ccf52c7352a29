import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from './client.js';

const PROGRAM = fileURLToPath(new URL('cached-service-main.js', import.meta.url));

/** What resolution reads of an identifier. */
export interface Resolved {
  readonly target: string | null;
  readonly state: string;
  readonly version: number;
  readonly resolver: { readonly authority: string } | null;
}

/** A service in a process of its own, whose cache can be read. */
export interface CachedService {
  readonly client: Client;
  readonly child: ChildProcess;
  /** Reads an identifier as resolution does. @returns null for an unknown name. @throws when the service cannot read it. */
  resolve(identifier: string): Promise<Resolved | null>;
  figures(): Promise<{ hits: number; misses: number; entries: number }>;
  stop(): Promise<void>;
}

export async function startCachedService(variables: Record<string, string>): Promise<CachedService> {
  const env = { PATH: process.env.PATH, ACCESS: 'open', ...variables };
  const child = spawn(process.execPath, [PROGRAM], { cwd: tmpdir(), env, stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const { url, reads } = JSON.parse(line) as { url: string; reads: string };
  const read = async (query: string) => {
    const response = await fetch(`${reads}/${query}`);
    if (!response.ok) throw new Error(await response.text());
    return response.json();
  };
  return {
    client: new Client(url),
    child,
    resolve: async (identifier) => {
      const [namingAuthority, guid] = identifier.split('/') as [string, string];
      return (await read(`?${new URLSearchParams({ namingAuthority, guid }).toString()}`)) as Resolved | null;
    },
    figures: async () => (await read('')) as { hits: number; misses: number; entries: number },
    stop: async () => {
      const ended = once(child, 'close');
      child.kill('SIGCONT');
      child.kill('SIGTERM');
      await ended;
    },
  };
}
