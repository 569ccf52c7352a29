import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { type Resolver, parseNamingAuthority, parseResolver } from '../identifier/index.js';
import { Environment } from './environment.js';
import { StartupError, reasonOf } from './startup-error.js';

/** The longest naming authority that can be configured, in characters; the syntax itself has no limit. */
const MAX_NAMING_AUTHORITY_LENGTH = 255;

/** Everything the environment decides, read once at start. Durations and sizes carry their unit in the name. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** Where the database is: an address, or the folder of the embedded server. */
  readonly database: { readonly url: string } | { readonly dataDir: string };
  /** Naming authorities that exist after the start, whether or not they did before. */
  readonly namingAuthorities: readonly string[];
  /** The resolver whose HTTP URIs are rendered and understood (URI-36). */
  readonly resolver: Resolver;
  /** The key a request must carry, or null when everyone who reaches the port may write. */
  readonly adminApiKey: string | null;
  readonly logLevel: string;
  readonly pool: { readonly size: number; readonly connectTimeoutMs: number; readonly statementTimeoutMs: number };
  readonly bodyLimitBytes: number;
  readonly requestTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
}

/**
 * Reads the configuration. This is the only place that looks at the process's environment.
 * @throws StartupError that names every wrong variable, not just the first.
 */
export function readConfig(variables: NodeJS.ProcessEnv = readProcessEnvironment()): Config {
  const environment = plainToInstance(Environment, variables, { excludeExtraneousValues: true });
  const problems = validateSync(environment).map(
    ({ property, constraints, value }) =>
      `${property} ${Object.values(constraints ?? {})[0] ?? 'is wrong'}${shown(property, value)}`,
  );
  const host = environment.HOST ?? '127.0.0.1';
  const embedded = environment.DATABASE_URL === undefined;
  const resolver = parseResolver({
    scheme: environment.RESOLVER_SCHEME ?? 'http',
    authority: environment.RESOLVER_AUTHORITY ?? 'hdl.handle.net',
    firstSegment: environment.RESOLVER_FIRST_SEGMENT ?? null,
  });
  if (!resolver.ok)
    problems.push(`RESOLVER_SCHEME, RESOLVER_AUTHORITY, RESOLVER_FIRST_SEGMENT: ${resolver.fault.detail}`);
  const namingAuthorities = (environment.NAMING_AUTHORITIES ?? (embedded ? '100.102' : ''))
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  for (const entry of namingAuthorities) {
    if (!parseNamingAuthority(entry, 'cordra').ok || entry.length > MAX_NAMING_AUTHORITY_LENGTH) {
      problems.push(`NAMING_AUTHORITIES holds "${entry}", which is not groups of digits separated by dots (CID-08)`);
    }
  }
  problems.push(...accessProblems(environment, host, embedded));
  if (problems.length > 0 || !resolver.ok) {
    throw new StartupError(`The configuration is wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
  return {
    port: environment.PORT ?? 3000,
    host,
    database:
      environment.DATABASE_URL === undefined
        ? { dataDir: resolve(environment.DATA_DIR ?? '.data') }
        : { url: environment.DATABASE_URL },
    namingAuthorities: [...new Set(namingAuthorities)],
    resolver: resolver.value,
    adminApiKey: isOpen(environment, embedded) ? null : (environment.ADMIN_API_KEY ?? null),
    logLevel: environment.LOG_LEVEL ?? 'info',
    pool: {
      size: environment.DATABASE_POOL_SIZE ?? 20,
      connectTimeoutMs: environment.DATABASE_CONNECT_TIMEOUT_MS ?? 5000,
      statementTimeoutMs: environment.DATABASE_STATEMENT_TIMEOUT_MS ?? 15_000,
    },
    bodyLimitBytes: environment.BODY_LIMIT_BYTES ?? 16_777_216,
    requestTimeoutMs: environment.REQUEST_TIMEOUT_MS ?? 30_000,
    shutdownTimeoutMs: environment.SHUTDOWN_TIMEOUT_MS ?? 25_000,
  };
}

/** The process's environment, completed from a file `.env` in the working folder if there is one. */
function readProcessEnvironment(): NodeJS.ProcessEnv {
  try {
    process.loadEnvFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new StartupError(`.env cannot be read: ${reasonOf(error)}`);
  }
  return process.env;
}

/** Open is the default only beside the embedded database, and never reaches beyond this machine. */
function isOpen(environment: Environment, embedded: boolean): boolean {
  return (environment.ACCESS ?? (embedded ? 'open' : 'keys')) === 'open';
}

function accessProblems(environment: Environment, host: string, embedded: boolean): string[] {
  if (!isOpen(environment, embedded)) {
    if (environment.ADMIN_API_KEY !== undefined) return [];
    return [
      'ACCESS is "keys" (the default with DATABASE_URL) and needs ADMIN_API_KEY; on a loopback HOST, ACCESS=open does without',
    ];
  }
  if (isLoopback(host)) return [];
  return [
    `HOST ${host} can be reached from other machines, and with ACCESS=open anyone who reaches it may write: set ACCESS=keys and ADMIN_API_KEY`,
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/** Secrets are not repeated in a message that may end in a log. */
function shown(property: string, value: unknown): string {
  return property === 'DATABASE_URL' || property === 'ADMIN_API_KEY' ? '' : `; it is "${String(value)}"`;
}
