import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { SERVICE } from './programs.js';

/** Variables of the runner that a spawned service must not inherit. */
const CLEAN = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => /^(PATH|HOME|LANG|TZ|TMPDIR|SystemRoot)$/.test(name)),
);

/**
 * `npm run coverage -- --all` counts what services run, of the published files, whose sources are known. Otherwise they do not
 * count: Node.js passes the variable to each child whose environment does not have it.
 */
const isCounted = process.env.SERVICES_COVERED === '1';
const COUNTING = { NODE_V8_COVERAGE: isCounted ? process.env.NODE_V8_COVERAGE : undefined };

/** A service in a separate process. */
export interface TestServer {
  /** `http://127.0.0.1:…` */
  readonly url: string;
  readonly child: ChildProcess;
  /** The output so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends a signal and waits for the end of the process. */
  stop(signal?: NodeJS.Signals): Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** The result of a process that ended by itself. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Starts the service, and waits until it is ready on a free port. */
export async function startServer(variables: Record<string, string>): Promise<TestServer> {
  const started = launch({ PORT: '0', ...variables });
  const url = await Promise.race([
    started.ready,
    started.ended.then(({ code, stderr }) => {
      throw new Error(`the service ended with ${String(code)}: ${stderr}`);
    }),
  ]);
  return { url, ...started };
}

/** Starts the service where the start must fail, and waits for its end. */
export async function runToEnd(
  variables: Record<string, string>,
  meanwhile: (child: ChildProcess) => void = () => {},
): Promise<Ended> {
  const { child, ended } = launch({ PORT: '0', ...variables });
  meanwhile(child);
  return ended;
}

function launch(variables: Record<string, string>) {
  const child = spawn(process.execPath, [SERVICE], { cwd: tmpdir(), env: { ...CLEAN, ...COUNTING, ...variables } });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const ready = new Promise<string>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
      const found = /Service +(http\S+)/.exec(stderr)?.[1];
      if (found !== undefined && stderr.includes('Ctrl-C')) resolve(found);
    });
  });
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('close', (code, signal) => {
      resolve({ code, signal });
    });
  });
  return {
    child,
    ready,
    ended: exited.then(({ code }) => ({ code, stdout, stderr })),
    stdout: () => stdout,
    stderr: () => stderr,
    stop: (signal: NodeJS.Signals = 'SIGTERM') => {
      child.kill(signal);
      return exited;
    },
  };
}
