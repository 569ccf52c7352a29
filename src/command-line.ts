import { VERSION } from './config/version.js';

// Versions of Node.js that cannot run the service must be able to load this file: it uses old syntax and imports no packages.

/** The oldest version of Node.js that runs the service, as in package.json. */
const OLDEST: readonly [number, number] = [20, 19];

const HELP = `Mintmark mints and registers persistent identifiers for repositories.

Usage: npm start [-- OPTION]      or: node dist/main.js [OPTION]

  --help     print this text
  --version  print the version

Without an option the service starts. It reads environment variables, and the file .env in its working folder: .env.example
is a template with every variable, and docs/reference/configuration.md describes them. It stops with Ctrl-C or SIGTERM.
`;

/** What the program prints instead of starting the service. */
export interface Reply {
  readonly text: string;
  readonly exitCode: 0 | 1;
}

/**
 * @param options the arguments of the program.
 * @param nodeVersion as `process.versions.node`.
 * @returns null where the service is to be started.
 */
export function replyTo(options: readonly string[], nodeVersion: string): Reply | null {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1])) {
    const text = `Mintmark requires Node.js ${OLDEST.join('.')} or later; this is Node.js ${nodeVersion}.\n`;
    return { text, exitCode: 1 };
  }
  const [option] = options;
  if (option === undefined) return null;
  if (option === '--version') return { text: `${VERSION}\n`, exitCode: 0 };
  if (option === '--help') return { text: HELP, exitCode: 0 };
  const text = `The option ${option} is unknown; --help prints the options. Settings are environment variables.\n`;
  return { text, exitCode: 1 };
}
