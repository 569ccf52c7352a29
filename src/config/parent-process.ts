import { readFileSync } from 'node:fs';

/** Interval at which the parent is polled, because a process gets no event when its parent ends. */
const POLL_MS = 500;

const SHELL = /^(?:ash|bash|busybox|dash|ksh|sh|zsh)$/;

/**
 * Calls `ended` once, after the parent process npm has ended, because a signal to npm might not reach this process. Has no effect outside
 * `npm start` and `npx mintmark`, or on Windows, which does not report the end of a parent.
 */
export function watchNpm(ended: () => void, variables: NodeJS.ProcessEnv = process.env): void {
  const { npm_lifecycle_event: event, npm_lifecycle_script: script = '', npm_package_name: name } = variables;
  const isOfNpm = (event === 'start' && name === 'mintmark') || (event === 'npx' && /^['"]?mintmark\b/.test(script));
  if (!isOfNpm) return;
  const started = ancestry();
  const timer = setInterval(() => {
    if (ancestry() === started) return;
    clearInterval(timer);
    ended();
  }, POLL_MS);
  timer.unref();
}

/** The process IDs from the parent to npm. npm runs a script in a shell, but some shells replace themselves with its command. */
function ancestry(): string {
  const { ppid } = process;
  try {
    // The file has "pid (command) state ppid …" (proc_pid_stat(5)). On systems without this file, shells replace themselves.
    const [, command = '', grandparent = ''] =
      /^\d+ \((.*)\) \S (\d+) /s.exec(readFileSync(`/proc/${ppid}/stat`, 'utf8')) ?? [];
    return SHELL.test(command) ? `${ppid} ${grandparent}` : String(ppid);
  } catch {
    return String(ppid);
  }
}
