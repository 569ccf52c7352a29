import { createServer } from 'node:net';
import type { Config } from './config/config.js';
import { StartupError, reasonOf } from './config/startup-error.js';

type PortVariable = 'PORT' | 'METRICS_PORT';

const ADVICE: Readonly<Record<string, (variable: PortVariable) => string>> = {
  EADDRNOTAVAIL: () => ' Set HOST to an address of this machine.',
  ENOTFOUND: () => ' Set HOST to an address of this machine, or to a name that resolves to one.',
  EACCES: (variable) => ` Set ${variable} to 1024 or more: lower ports need a privilege.`,
};

export async function requireFreePorts(config: Config): Promise<void> {
  const { host, port, metricsPort } = config;
  await listening('PORT', config, () => tryPort(host, port));
  if (metricsPort !== null) await listening('METRICS_PORT', config, () => tryPort(host, metricsPort));
}

/** Calls `start`. @throws StartupError if it fails. For the usual causes, the message names the variable to change. */
export async function listening(variable: PortVariable, config: Config, start: () => Promise<unknown>): Promise<void> {
  const port = variable === 'PORT' ? config.port : config.metricsPort;
  try {
    await start();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new StartupError(
        `Port ${port} on ${config.host} is already in use. Stop the process that uses it, or set ${variable} to another port.`,
      );
    }
    const advice = ADVICE[(error as NodeJS.ErrnoException).code ?? '']?.(variable) ?? '';
    throw new StartupError(`Mintmark cannot listen on ${config.host} port ${port}: ${reasonOf(error)}.${advice}`);
  }
}

function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once('error', reject);
    server.listen(port, host, () => {
      server.close(() => {
        resolve();
      });
    });
  });
}
