import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { type Resolver, parseNamingAuthority, parseResolver } from '../identifier/index.js';
import { Environment } from './environment.js';
import { StartupError, reasonOf } from './startup-error.js';
import { proxiesOf, proxyProblem } from './trusted-proxies.js';

/** The longest naming authority that can be configured, in characters; the syntax itself has no limit. */
const MAX_NAMING_AUTHORITY_LENGTH = 255;

/** What a client that has a key may ask of one process, unless the environment says otherwise. */
const KEYED_LIMITS = { perMinute: 600_000, concurrent: 256, longLived: 100 };

/** How much one process does for one client or naming authority; 0 is no limit. */
export interface RequestLimits {
  /** Requests a minute for each key, and without a key for each address. */
  readonly perKeyPerMinute: number;
  /** Identifiers a minute that are minted, registered or reserved. */
  readonly perNamingAuthorityPerMinute: number;
  /** Requests of one key, or address, at once. */
  readonly concurrentPerKey: number;
  /** Long polls and event streams of one key, or address, at once. */
  readonly longLivedPerKey: number;
}

/** From when on writes are refused, and reads at twice as much; 0 is never. */
export interface OverloadLimits {
  readonly eventLoopDelayMs: number;
  readonly waitingStatements: number;
}

/** Everything the environment decides, read once at start. Durations and sizes carry their unit in the name. */
export interface Config {
  readonly port: number;
  readonly host: string;
  /** The port that serves the metrics and nothing else; null when the main one does. */
  readonly metricsPort: number | null;
  /** Where the database is: an address, or the folder of the embedded server. */
  readonly database: { readonly url: string } | { readonly dataDir: string };
  /** Naming authorities that exist after the start, whether or not they did before. */
  readonly namingAuthorities: readonly string[];
  /** The resolver whose HTTP URIs are rendered and understood (URI-36). */
  readonly resolver: Resolver;
  /** The key a request must carry, or null when everyone who reaches the port may write. */
  readonly adminApiKey: string | null;
  /** Whether reading needs no key. */
  readonly publicRead: boolean;
  readonly logLevel: string;
  readonly pool: { readonly size: number; readonly connectTimeoutMs: number; readonly statementTimeoutMs: number };
  /** How often ended reservations are written down; reads honour the end of a lease by themselves. */
  readonly reservationSweepIntervalMs: number;
  readonly limits: RequestLimits;
  readonly overload: OverloadLimits;
  /** Whose X-Forwarded-For is believed: addresses and networks. */
  readonly trustedProxies: readonly string[];
  readonly bodyLimitBytes: number;
  readonly requestTimeoutMs: number;
  readonly answerStallTimeoutMs: number;
  readonly shutdownTimeoutMs: number;
}

/**
 * Reads the configuration. This is the only place that looks at the process's environment.
 * @throws StartupError that names every wrong variable, not just the first.
 */
export function readConfig(variables: NodeJS.ProcessEnv = readProcessEnvironment()): Config {
  const environment = plainToInstance(Environment, variables, {
    excludeExtraneousValues: true,
    exposeDefaultValues: true,
    exposeUnsetFields: false,
  });
  const resolver = parseResolver({
    scheme: environment.RESOLVER_SCHEME,
    authority: environment.RESOLVER_AUTHORITY,
    firstSegment: environment.RESOLVER_FIRST_SEGMENT ?? null,
  });
  const namingAuthorities = namingAuthoritiesOf(environment);
  const problems = [
    ...validateSync(environment).map(describeProblem),
    ...(resolver.ok ? [] : [`RESOLVER_SCHEME, RESOLVER_AUTHORITY, RESOLVER_FIRST_SEGMENT: ${resolver.fault.detail}`]),
    ...namingAuthorities.flatMap(namingAuthorityProblem),
    ...proxiesOf(environment.TRUSTED_PROXIES).flatMap(proxyProblem),
    ...portProblems(environment),
    ...accessProblems(environment),
  ];
  if (problems.length > 0 || !resolver.ok) {
    throw new StartupError(`The configuration is wrong:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
  const { DATABASE_URL: url } = environment;
  return {
    port: environment.PORT,
    host: environment.HOST,
    metricsPort: environment.METRICS_PORT ?? null,
    database: url === undefined ? { dataDir: resolve(environment.DATA_DIR) } : { url },
    namingAuthorities,
    resolver: resolver.value,
    adminApiKey: isOpen(environment) ? null : (environment.ADMIN_API_KEY ?? null),
    publicRead: environment.PUBLIC_READ === 'true',
    logLevel: environment.LOG_LEVEL,
    pool: {
      size: environment.DATABASE_POOL_SIZE,
      connectTimeoutMs: environment.DATABASE_CONNECT_TIMEOUT_MS,
      statementTimeoutMs: environment.DATABASE_STATEMENT_TIMEOUT_MS,
    },
    reservationSweepIntervalMs: environment.RESERVATION_SWEEP_INTERVAL_MS,
    limits: limitsOf(environment),
    overload: {
      eventLoopDelayMs: environment.OVERLOAD_EVENT_LOOP_DELAY_MS,
      waitingStatements: environment.OVERLOAD_WAITING_STATEMENTS,
    },
    trustedProxies: proxiesOf(environment.TRUSTED_PROXIES),
    bodyLimitBytes: environment.BODY_LIMIT_BYTES,
    requestTimeoutMs: environment.REQUEST_TIMEOUT_MS,
    answerStallTimeoutMs: environment.ANSWER_STALL_TIMEOUT_MS,
    shutdownTimeoutMs: environment.SHUTDOWN_TIMEOUT_MS,
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

/** A database of our own starts with one naming authority, so that the first mint needs no configuration. */
function namingAuthoritiesOf({ NAMING_AUTHORITIES, DATABASE_URL }: Environment): string[] {
  const list = NAMING_AUTHORITIES ?? (DATABASE_URL === undefined ? '100.102' : '');
  const entries = list.split(',').map((entry) => entry.trim());
  return [...new Set(entries)].filter((entry) => entry !== '');
}

function namingAuthorityProblem(entry: string): string[] {
  if (parseNamingAuthority(entry, 'cordra').ok && entry.length <= MAX_NAMING_AUTHORITY_LENGTH) return [];
  return [
    `NAMING_AUTHORITIES holds "${entry}", which is not groups of digits separated by dots (CID-08), at most ${MAX_NAMING_AUTHORITY_LENGTH} characters`,
  ];
}

function portProblems({ PORT, METRICS_PORT }: Environment): string[] {
  if (PORT !== METRICS_PORT || PORT === 0) return [];
  return [`METRICS_PORT is ${PORT}, as PORT is: take another one, or leave it unset to serve the metrics on PORT`];
}

/** Whoever uses an open service, on this machine, is held to what is asked for only. */
function limitsOf(environment: Environment): RequestLimits {
  const open = isOpen(environment);
  return {
    perKeyPerMinute: environment.RATE_LIMIT_PER_KEY_PER_MINUTE ?? (open ? 0 : KEYED_LIMITS.perMinute),
    perNamingAuthorityPerMinute: environment.RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE,
    concurrentPerKey: environment.MAX_CONCURRENT_PER_KEY ?? (open ? 0 : KEYED_LIMITS.concurrent),
    longLivedPerKey: environment.MAX_LONG_LIVED_PER_KEY ?? (open ? 0 : KEYED_LIMITS.longLived),
  };
}

/** Open is the default only beside the embedded database, and never reaches beyond this machine. */
function isOpen({ ACCESS, DATABASE_URL }: Environment): boolean {
  return (ACCESS ?? (DATABASE_URL === undefined ? 'open' : 'keys')) === 'open';
}

function accessProblems(environment: Environment): string[] {
  const { HOST: host, ADMIN_API_KEY: key } = environment;
  if (isOpen(environment) && !isLoopback(host)) {
    return [
      `HOST ${host} can be reached from other machines, and with ACCESS=open anyone who reaches it may write: set ACCESS=keys and ADMIN_API_KEY`,
    ];
  }
  if (isOpen(environment) || key !== undefined) return [];
  return [
    'ACCESS is "keys" (the default with DATABASE_URL) and needs ADMIN_API_KEY; on a loopback HOST, ACCESS=open does without',
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

function describeProblem({ property, constraints, value }: ValidationError): string {
  const rule = Object.values(constraints ?? {})[0] ?? 'is wrong';
  // Secrets are not repeated in a message that may end in a log.
  const isSecret = property === 'DATABASE_URL' || property === 'ADMIN_API_KEY';
  return `${property} ${rule}${isSecret ? '' : `; it is "${String(value)}"`}`;
}
