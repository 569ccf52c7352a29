import { resolve } from 'node:path';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { parseResolver } from '@mintmark/identifier';
import { withAdminApiKey } from './admin-api-key.js';
import {
  hostProblem,
  entriesOf,
  listenProblem,
  databaseUrlProblem,
  readDatabaseUrlProblem,
  proxyProblem,
  upstreamOf,
  upstreamProblem,
} from './addresses.js';
import { Environment } from './environment.js';
import { interfaceProblems, interfacesOf } from './interfaces.js';
import { withCurrentNames } from './renamed-variables.js';
import { describeMisspelled, misspelledVariables } from './misspelled-variables.js';
import { namingAuthoritiesOf, namingAuthorityProblems } from './naming-authorities.js';
import { readProcessEnvironment } from './process-environment.js';
import { StartupError } from './startup-error.js';

/** Default limits of a key, or of an address without a key, under `ACCESS=keys`. */
const KEYED_LIMITS = { perMinute: 600_000, concurrent: 256, longLived: 100 };

const VARIABLES = Object.keys(new Environment());

/** Limits of one process for one client, address or naming authority. Except for `largestBody`, 0 stands for no limit. */
export type RequestLimits = Config['limits'];

/** Thresholds at which writes are rejected. Reads are rejected at twice the value; 0 disables a threshold. */
export type OverloadLimits = Config['overload'];

/** The configuration, read once at start. Durations and sizes have their unit in the name. */
export type Config = Readonly<ReturnType<typeof readConfig>>;

/** Reads the configuration. @throws StartupError that lists every invalid variable. */
export function readConfig(given: NodeJS.ProcessEnv = readProcessEnvironment()) {
  const { variables: named, renamed, problems: nameProblems } = withCurrentNames(given);
  const { variables, problems: keyProblems } = withAdminApiKey(named);
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
  // An embedded database has a naming authority by default, so that the first mint needs no configuration.
  const namingAuthorities = environment.NAMING_AUTHORITIES ?? (environment.DATABASE_URL === undefined ? '100.102' : '');
  const misspelled = misspelledVariables(Object.keys(named), VARIABLES);
  const problems = [
    ...nameProblems,
    ...keyProblems,
    ...validateSync(environment).map(describeProblem),
    ...(resolver.ok ? [] : [`RESOLVER_SCHEME, RESOLVER_AUTHORITY, RESOLVER_FIRST_SEGMENT: ${resolver.fault.detail}`]),
    ...namingAuthorityProblems(namingAuthorities),
    ...entriesOf(environment.TRUSTED_PROXIES).flatMap(proxyProblem),
    ...entriesOf(environment.ALLOWED_HOSTS).flatMap(hostProblem),
    ...interfaceProblems(environment.INTERFACES),
    ...upstreamProblem(environment.RESOLVER_UPSTREAM),
    ...portProblems(environment),
    ...listenProblem(environment.HOST),
    ...databaseUrlProblem('DATABASE_URL', environment.DATABASE_URL),
    ...readDatabaseUrlProblem(environment.READ_DATABASE_URL, environment.DATABASE_URL),
    ...(keyProblems.length > 0 || listenProblem(environment.HOST).length > 0 ? [] : accessProblems(environment)),
  ];
  if (problems.length > 0 || !resolver.ok) {
    const lines = [...problems, ...misspelled.map(describeMisspelled)].map((line) => `  - ${line}`);
    throw new StartupError(`The configuration is invalid:\n${lines.join('\n')}`);
  }
  const { DATABASE_URL: url } = environment;
  const database: { readonly url: string } | { readonly dataDir: string } =
    url === undefined ? { dataDir: resolve(environment.DATA_DIR) } : { url };
  const isReadable = environment.PUBLIC_READ === 'true';
  return {
    port: environment.PORT,
    // For localhost, Fastify would open a second server on ::1, without the limits of the first server.
    host: environment.HOST === 'localhost' ? '127.0.0.1' : environment.HOST,
    metricsPort: environment.METRICS_PORT ?? null,
    database,
    /** The URL of a replica, which is read before the primary; null for none. */
    readDatabaseUrl: environment.READ_DATABASE_URL ?? null,
    mayMigrate: environment.MIGRATE === 'on',
    namingAuthorities: namingAuthoritiesOf(namingAuthorities),
    /** The resolver whose HTTP URIs are rendered and understood (URI-36). */
    resolver: resolver.value,
    /** Whether the operator has set the resolver. The default resolver does not resolve the identifiers of a new service. */
    isResolverSet: Boolean(given.RESOLVER_AUTHORITY),
    /** The resolver for foreign prefixes; null for none. */
    upstream: upstreamOf(environment.RESOLVER_UPSTREAM ?? '') ?? null,
    /** The URL of the party that blocks identifiers withdrawn for a legal reason; null for none. */
    blockedByUrl: environment.BLOCKED_BY_URL ?? null,
    redirectAges: {
      browserSeconds: environment.REDIRECT_MAX_AGE_SECONDS,
      sharedSeconds: environment.REDIRECT_SHARED_MAX_AGE_SECONDS ?? environment.REDIRECT_MAX_AGE_SECONDS,
    },
    interfaces: interfacesOf(environment.INTERFACES, isOpen(environment), isReadable),
    /** Null under open access. */
    adminApiKey: isOpen(environment) ? null : (environment.ADMIN_API_KEY ?? null),
    publicRead: isReadable,
    publicHistory: environment.PUBLIC_HISTORY,
    openAccessHosts: isOpen(environment) ? entriesOf(environment.ALLOWED_HOSTS) : null,
    misspelledVariables: misspelled,
    renamedVariables: renamed,
    logLevel: environment.LOG_LEVEL,
    logAddresses: environment.LOG_ADDRESSES,
    /** Maximum number of log lines of each kind (see `LineLimit`) per second; 0 for no limit. */
    logLinesPerSecond: environment.LOG_LINES_PER_SECOND,
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
    trustedProxies: entriesOf(environment.TRUSTED_PROXIES),
    bodyLimitBytes: environment.BODY_LIMIT_BYTES,
    requestTimeoutMs: environment.REQUEST_TIMEOUT_MS,
    responseStallTimeoutMs: environment.RESPONSE_STALL_TIMEOUT_MS,
    responseSpoolBytes: environment.RESPONSE_SPOOL_BYTES,
    /** Maximum numbers of entries and bytes of the cache of records; 0 for either disables the cache. */
    recordCache: { entries: environment.RECORD_CACHE_ENTRIES, bytes: environment.RECORD_CACHE_BYTES },
    shutdownTimeoutMs: environment.SHUTDOWN_TIMEOUT_MS,
    /** How long requests are served while readiness fails, before the drain. */
    shutdownDelayMs: environment.SHUTDOWN_DELAY_SECONDS * 1000,
  };
}

function portProblems({ PORT, METRICS_PORT }: Environment): string[] {
  if (PORT !== METRICS_PORT || PORT === 0) return [];
  return [`METRICS_PORT and PORT are both ${PORT}; set another METRICS_PORT, or unset it to serve the metrics on PORT`];
}

/** Under open access, the limits of a key or address apply only if their variables are set; other limits keep their defaults. */
function limitsOf(environment: Environment) {
  const open = isOpen(environment);
  return {
    /** Requests per minute of one key, or of one address without a key. */
    perKeyPerMinute: environment.RATE_LIMIT_PER_KEY_PER_MINUTE ?? (open ? 0 : KEYED_LIMITS.perMinute),
    perNamingAuthorityPerMinute: environment.RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE,
    unauthenticatedPerMinute: environment.RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE,
    concurrentPerKey: environment.MAX_CONCURRENT_PER_KEY ?? (open ? 0 : KEYED_LIMITS.concurrent),
    /** Maximum number of concurrent long polls and event streams of one key, or of one address without a key. */
    longLivedPerKey: environment.MAX_LONG_LIVED_PER_KEY ?? (open ? 0 : KEYED_LIMITS.longLived),
    largestBody: environment.BODY_LIMIT_BYTES,
  };
}

/** Open access is the default only with the embedded database. `accessProblems` permits it only on a loopback address. */
function isOpen({ ACCESS, DATABASE_URL }: Environment): boolean {
  return (ACCESS ?? (DATABASE_URL === undefined ? 'open' : 'keys')) === 'open';
}

function accessProblems(environment: Environment): string[] {
  const { HOST: host, ADMIN_API_KEY: key, DATABASE_URL: url, ACCESS: access } = environment;
  if (isOpen(environment)) {
    const foreign = entriesOf(environment.ALLOWED_HOSTS).filter((name) => !isLoopbackName(name));
    return [
      ...(isLoopback(host) ? [] : [`HOST ${host} can be reached from other machines`]),
      ...(environment.TRUSTED_PROXIES === ''
        ? []
        : ['TRUSTED_PROXIES is set, and a proxy passes on requests of others']),
      ...(foreign.length === 0
        ? []
        : [`ALLOWED_HOSTS contains ${foreign.join(', ')}, by which others reach the service`]),
    ].map((why) => `${why}, and ACCESS=open lets every client write: set ACCESS=keys and ADMIN_API_KEY`);
  }
  if (key !== undefined) return [];
  const why = access === undefined && url !== undefined ? 'with DATABASE_URL, ACCESS is "keys"' : 'ACCESS is "keys"';
  return [
    `ADMIN_API_KEY is not set, and ${why}: set it to the output of "openssl rand -hex 32", or set ADMIN_API_KEY_FILE to a file that contains it; ACCESS=open needs no key and is permitted on a loopback HOST`,
  ];
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.[0-9]{1,3}){3}$/.test(host);
}

/** Whether a host name or an address refers to the local machine (RFC 6761 6.3). */
function isLoopbackName(host: string): boolean {
  return isLoopback(host) || host === '[::1]' || /(^|\.)localhost$/i.test(host);
}

function describeProblem({ property, constraints, value }: ValidationError): string {
  const rule = Object.values(constraints ?? {})[0] ?? 'is invalid';
  // Secrets must not appear in logs.
  const isSecret = ['DATABASE_URL', 'READ_DATABASE_URL', 'ADMIN_API_KEY'].includes(property);
  return `${property} ${rule}${isSecret ? '' : `; the value is "${String(value)}"`}`;
}

/** Who may write and read, as a sentence for operators. */
export function describeAccess({
  openAccessHosts,
  publicRead,
}: Pick<Config, 'openAccessHosts' | 'publicRead'>): string {
  if (openAccessHosts !== null) return 'Every program on this machine may write, without a key (ACCESS=open).';
  const readers = publicRead ? 'everyone may read (PUBLIC_READ=true)' : 'reading needs a key too (PUBLIC_READ=false)';
  return `Only clients with an API key may write (ACCESS=keys); ${readers}.`;
}
