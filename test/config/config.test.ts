import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { readConfig, describeAccess } from '../../src/config/config.js';

const KEY = 'correct-horse-battery-staple-correct';

describe('the configuration', () => {
  it('has a default for everything: embedded, open, on the loopback address', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      database: { dataDir: expect.stringMatching(/\.data$/) },
      namingAuthorities: [{ prefix: '100.102', profile: 'cordra' }],
      resolver: { scheme: 'http', authority: 'hdl.handle.net', firstSegment: null },
      adminApiKey: null,
    });
  });

  it('treats an empty variable as not set', () => {
    expect(readConfig({ PORT: '', HOST: '', NAMING_AUTHORITIES: '', RESOLVER_FIRST_SEGMENT: '' })).toEqual(
      readConfig({}),
    );
  });

  it('listens on one address for localhost, so that one server has all limits', () => {
    expect(readConfig({ HOST: 'localhost' }).host).toBe('127.0.0.1');
  });

  it('R-25: keeps the leading zeros of naming authorities, and removes duplicates', () => {
    expect(readConfig({ NAMING_AUTHORITIES: ' 2000.01, 100.102,2000.01' }).namingAuthorities).toEqual([
      { prefix: '2000.01', profile: 'cordra', metadataIdScheme: 'recognized' },
      { prefix: '100.102', profile: 'cordra', metadataIdScheme: 'recognized' },
    ]);
  });

  it('reads the profile of a naming authority after a colon', () => {
    const list = '20.500.12345:handle, 100.102:cordra,100.102, 20.500.12345 : handle';
    expect(readConfig({ NAMING_AUTHORITIES: list }).namingAuthorities).toEqual([
      { prefix: '20.500.12345', profile: 'handle', metadataIdScheme: 'recognized' },
      { prefix: '100.102', profile: 'cordra', metadataIdScheme: 'recognized' },
    ]);
  });

  it('reads the metadata ID scheme "any" of a naming authority after its profile', () => {
    expect(readConfig({ NAMING_AUTHORITIES: '20.500.12345:handle:any, 7 : cordra : any' }).namingAuthorities).toEqual([
      { prefix: '20.500.12345', profile: 'handle', metadataIdScheme: 'any' },
      { prefix: '7', profile: 'cordra', metadataIdScheme: 'any' },
    ]);
  });

  it.each([
    ['20.500.12345:dspace', 'NAMING_AUTHORITIES contains "20.500.12345:dspace", whose profile is neither "cordra" nor'],
    ['20.500.12345:', 'write it as 20.500.12345:handle'],
    ['20.500.12345:handle:handle', 'write it as 20.500.12345:handle'],
    ['100.102:any', 'or as 100.102:handle:any for any texts as metadata IDs'],
    ['100.102,100.102:handle', 'contains "100.102:handle", and the same prefix with the profile "cordra"'],
    ['7:handle:any,7:handle', 'contains "7:handle", and the same prefix with the profile "handle:any"'],
    ['Lib:handle', 'create another prefix with POST /naming-authorities'],
    [':handle', 'which is not a sequence of digits'],
  ])('rejects NAMING_AUTHORITIES=%s in words', (NAMING_AUTHORITIES, words) => {
    expect(() => readConfig({ NAMING_AUTHORITIES })).toThrow(words);
  });

  it('URI-36: normalises the resolver like the URIs it is compared with', () => {
    const { resolver } = readConfig({
      RESOLVER_SCHEME: 'HTTPS',
      RESOLVER_AUTHORITY: 'HDL.Handle.net:443',
      RESOLVER_FIRST_SEGMENT: 'hdl',
    });
    expect(resolver).toMatchObject({ scheme: 'https', authority: 'hdl.handle.net', firstSegment: 'hdl' });
  });

  it('reads at the server of READ_DATABASE_URL where one is set', () => {
    const own = { DATABASE_URL: 'postgresql://h/d', ADMIN_API_KEY: KEY };
    expect(readConfig(own).readDatabaseUrl).toBeNull();
    const url = 'postgresql://standby/d';
    expect(readConfig({ ...own, READ_DATABASE_URL: url }).readDatabaseUrl).toBe(url);
  });

  it('creates no default naming authority in a database of DATABASE_URL', () => {
    expect(readConfig({ DATABASE_URL: 'postgresql://h/d', ADMIN_API_KEY: KEY }).namingAuthorities).toEqual([]);
  });

  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('permits open access on %s', (HOST) => {
    expect(readConfig({ HOST }).adminApiKey).toBeNull();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'localhost.example.org'])(
    'rejects open access on %s, and takes it with a key',
    (HOST) => {
      expect(() => readConfig({ HOST })).toThrow('ACCESS');
      expect(readConfig({ HOST, ACCESS: 'keys', ADMIN_API_KEY: KEY }).adminApiKey).toBe(KEY);
    },
  );

  it('has no limits under open access and limits for every key otherwise, unless they are configured', () => {
    const none = { perKeyPerMinute: 0, concurrentPerKey: 0, longLivedPerKey: 0 };
    expect(readConfig({}).limits).toMatchObject(none);
    expect(readConfig({ ACCESS: 'keys', ADMIN_API_KEY: KEY }).limits).toMatchObject({
      ...{ perKeyPerMinute: 600_000, concurrentPerKey: 256, longLivedPerKey: 100 },
    });
    const configured = { RATE_LIMIT_PER_KEY_PER_MINUTE: '7', MAX_CONCURRENT_PER_KEY: '8', MAX_LONG_LIVED_PER_KEY: '9' };
    const expected = { perKeyPerMinute: 7, concurrentPerKey: 8, longLivedPerKey: 9 };
    expect(readConfig(configured).limits).toMatchObject(expected);
    expect(readConfig({ ...configured, ACCESS: 'keys', ADMIN_API_KEY: KEY }).limits).toMatchObject(expected);
  });

  it('has each number in a variable of its own', () => {
    const numbers = {
      ...{ RATE_LIMIT_PER_NAMING_AUTHORITY_PER_MINUTE: 1, RATE_LIMIT_UNAUTHENTICATED_PER_MINUTE: 2 },
      ...{ OVERLOAD_EVENT_LOOP_DELAY_MS: 4, OVERLOAD_WAITING_STATEMENTS: 5 },
      ...{ RECORD_CACHE_ENTRIES: 6, RECORD_CACHE_BYTES: 7, RESPONSE_SPOOL_BYTES: 8, SHUTDOWN_TIMEOUT_MS: 9 },
      ...{ SHUTDOWN_DELAY_SECONDS: 13, LOG_LINES_PER_SECOND: 14 },
      ...{ DATABASE_POOL_SIZE: 10, DATABASE_CONNECT_TIMEOUT_MS: 101, DATABASE_STATEMENT_TIMEOUT_MS: 102 },
      ...{ RESERVATION_SWEEP_INTERVAL_MS: 103, REQUEST_TIMEOUT_MS: 1001, RESPONSE_STALL_TIMEOUT_MS: 1002 },
      ...{ BODY_LIMIT_BYTES: 1025, PORT: 11, METRICS_PORT: 12 },
    };
    const variables = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, String(value)]));
    expect(readConfig(variables)).toMatchObject({
      limits: { perNamingAuthorityPerMinute: 1, unauthenticatedPerMinute: 2, largestBody: 1025 },
      overload: { eventLoopDelayMs: 4, waitingStatements: 5 },
      recordCache: { entries: 6, bytes: 7 },
      pool: { size: 10, connectTimeoutMs: 101, statementTimeoutMs: 102 },
      ...{ responseSpoolBytes: 8, shutdownTimeoutMs: 9, shutdownDelayMs: 13_000, logLinesPerSecond: 14 },
      ...{ reservationSweepIntervalMs: 103, requestTimeoutMs: 1001 },
      ...{ responseStallTimeoutMs: 1002, bodyLimitBytes: 1025, port: 11, metricsPort: 12 },
    });
  });

  it('lets shared caches store redirects for as long as browsers, for a minute, unless it is configured', () => {
    const ages = (variables: Record<string, string>) => readConfig(variables).redirectAges;
    expect(ages({})).toEqual({ browserSeconds: 60, sharedSeconds: 60 });
    expect(ages({ REDIRECT_MAX_AGE_SECONDS: '5' })).toEqual({ browserSeconds: 5, sharedSeconds: 5 });
    expect(ages({ REDIRECT_SHARED_MAX_AGE_SECONDS: '0' })).toEqual({ browserSeconds: 60, sharedSeconds: 0 });
    expect(() => ages({ REDIRECT_MAX_AGE_SECONDS: '-1' })).toThrow('REDIRECT_MAX_AGE_SECONDS must be a whole number');
  });

  it('rejects one port for the metrics and the service, unless the system chooses both', () => {
    expect(() => readConfig({ METRICS_PORT: '3000' })).toThrow('METRICS_PORT and PORT are both 3000');
    expect(readConfig({ PORT: '0', METRICS_PORT: '0' })).toMatchObject({ port: 0, metricsPort: 0 });
    expect(readConfig({}).metricsPort).toBeNull();
  });

  it('lets everybody read unless PUBLIC_READ is false', () => {
    expect([readConfig({}).publicRead, readConfig({ PUBLIC_READ: 'false' }).publicRead]).toEqual([true, false]);
  });

  it('lets a start migrate unless MIGRATE is off', () => {
    expect([readConfig({}).mayMigrate, readConfig({ MIGRATE: 'off' }).mayMigrate]).toEqual([true, false]);
  });

  it('has no key of the administrator under open access', () => {
    expect(readConfig({ ADMIN_API_KEY: KEY }).adminApiKey).toBeNull();
    expect(readConfig({ ADMIN_API_KEY: KEY, ACCESS: 'keys' }).adminApiKey).toBe(KEY);
  });

  it('names every invalid variable', () => {
    const invalid = () => readConfig({ PORT: '80a', LOG_LEVEL: 'verbose', TRUSTED_PROXIES: '10.0.0.0/33' });
    expect(invalid).toThrow(/PORT .*LOG_LEVEL .*TRUSTED_PROXIES /s);
  });

  it('limits every wait for the database to ten seconds: a connection, or a statement and a second for its result', () => {
    const { pool } = readConfig({});
    expect(pool.connectTimeoutMs).toBeLessThanOrEqual(10_000);
    expect(pool.statementTimeoutMs + 1000).toBeLessThanOrEqual(10_000);
  });

  it('trusts only the configured proxies, which are addresses and networks', () => {
    expect(readConfig({}).trustedProxies).toEqual([]);
    const keys = { ACCESS: 'keys', ADMIN_API_KEY: KEY };
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7', ...keys }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      '192.0.2.7',
    ]);
  });

  it('accepts names of this machine as ALLOWED_HOSTS under open access, and ignores them with keys', () => {
    const ALLOWED_HOSTS = 'pid.localhost, localhost,127.0.0.2,[::1],::1';
    const hosts = ['pid.localhost', 'localhost', '127.0.0.2', '[::1]', '::1'];
    expect(readConfig({ ALLOWED_HOSTS }).openAccessHosts).toEqual(hosts);
    expect(readConfig({}).openAccessHosts).toEqual([]);
    const keys = { ACCESS: 'keys', ADMIN_API_KEY: KEY };
    expect(readConfig({ ALLOWED_HOSTS: 'pid.example.org', ...keys }).openAccessHosts).toBeNull();
  });

  it.each([
    [{ TRUSTED_PROXIES: '127.0.0.1' }, 'TRUSTED_PROXIES is set, and a proxy passes on requests of others'],
    [{ ALLOWED_HOSTS: 'localhost, pid.example.org' }, 'ALLOWED_HOSTS contains pid.example.org, by which others reach'],
    [{ ALLOWED_HOSTS: '10.0.0.7,[2001:db8::7]' }, 'ALLOWED_HOSTS contains 10.0.0.7, [2001:db8::7], by which others'],
    [{ ALLOWED_HOSTS: 'localhost.example.org' }, 'ALLOWED_HOSTS contains localhost.example.org'],
    [{ HOST: '0.0.0.0' }, 'HOST 0.0.0.0 can be reached from other machines'],
  ])('rejects open access with %j, which the guide to a proxy sets', (variables, words) => {
    for (const more of [{}, { DATABASE_URL: 'postgresql://h/d', ACCESS: 'open' }]) {
      expect(() => readConfig({ ...variables, ...more })).toThrow(words);
      expect(() => readConfig({ ...variables, ...more })).toThrow('set ACCESS=keys and ADMIN_API_KEY');
    }
    expect(readConfig({ ...variables, ACCESS: 'keys', ADMIN_API_KEY: KEY }).openAccessHosts).toBeNull();
  });

  it.each([
    [{}, 'Every program on this machine may write, without a key (ACCESS=open).'],
    [
      { ACCESS: 'keys', ADMIN_API_KEY: KEY },
      'Only clients with an API key may write (ACCESS=keys); everyone may read (PUBLIC_READ=true).',
    ],
    [
      { ACCESS: 'keys', ADMIN_API_KEY: KEY, PUBLIC_READ: 'false' },
      'Only clients with an API key may write (ACCESS=keys); reading needs a key too (PUBLIC_READ=false).',
    ],
  ])('says who may write: %j', (variables, words) => {
    expect(describeAccess(readConfig(variables))).toBe(words);
  });

  it('shows the history without clients to requests without a key, unless configured otherwise', () => {
    expect(readConfig({}).publicHistory).toBe('anonymous');
    expect(readConfig({ PUBLIC_HISTORY: 'none' }).publicHistory).toBe('none');
  });

  it.each([
    ['ALLOWED_HOSTS', 'http://pid.example.org'],
    ['ALLOWED_HOSTS', 'pid.example.org:3000'],
    ['ALLOWED_HOSTS', 'pid.example.org/'],
    ['ALLOWED_HOSTS', '*.example.org'],
    ['ALLOWED_HOSTS', '[pid.example.org]'],
    ['PUBLIC_HISTORY', 'some'],
    ['PORT', '65536'],
    ['TRUSTED_PROXIES', 'proxy.example.org'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/8,10.0.0.0/33'],
    ['TRUSTED_PROXIES', '10.0.0.0/0'],
    ['TRUSTED_PROXIES', '10.0.0.0/8/8'],
    ['RATE_LIMIT_PER_KEY_PER_MINUTE', '-1'],
    ['PORT', '-1'],
    ['PORT', '80a'],
    ['DATABASE_POOL_SIZE', '1.5'],
    ['RESERVATION_SWEEP_INTERVAL_MS', '0'],
    ['REQUEST_TIMEOUT_MS', '10'],
    ['ACCESS', 'closed'],
    ['LOG_LEVEL', 'verbose'],
    ['MIGRATE', 'false'],
    ['NAMING_AUTHORITIES', '100..102'],
    ['NAMING_AUTHORITIES', '10.ABC'],
    ['NAMING_AUTHORITIES', '100.102,10.ABC'],
    ['NAMING_AUTHORITIES', '1'.repeat(256)],
    ['RESOLVER_SCHEME', 'ftp'],
    ['RESOLVER_AUTHORITY', 'user@host'],
    ['RESOLVER_FIRST_SEGMENT', 'a/b'],
  ])('rejects %s=%s by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
  });

  it.each([
    [{ HOST: '300.1.1.1' }, 'HOST "300.1.1.1" is neither an IP address nor a host name'],
    [{ HOST: '127.0.0.1:3000' }, 'without scheme and port'],
    [{ HOST: 'http://pid.example.org' }, 'without scheme and port'],
    [{ ACCESS: 'keys' }, 'ADMIN_API_KEY is not set, and ACCESS is "keys": set it to the output of "openssl rand'],
    [{ DATABASE_URL: 'postgresql://h/d' }, 'ADMIN_API_KEY is not set, and with DATABASE_URL, ACCESS is "keys"'],
    [{ DATABASE_URL: 'mysql://u:hush@h/d' }, 'it starts with mysql:, and only PostgreSQL is supported'],
    [{ DATABASE_URL: 'postgresql:h/d' }, 'must be a URL such as postgresql://'],
    [{ DATABASE_URL: 'postgresql://u:hush/x@h/d' }, 'percent-encode the characters of user and password'],
    [{ DATABASE_URL: 'postgresql://u:hush@h/d?schema=pids' }, 'ALTER ROLE … SET search_path = "pids"'],
    [{ READ_DATABASE_URL: 'postgresql://h/d' }, 'READ_DATABASE_URL is set without DATABASE_URL'],
    [
      { DATABASE_URL: 'postgresql://h/d', READ_DATABASE_URL: 'postgresql://u:hush@a,b/d' },
      'READ_DATABASE_URL names several hosts',
    ],
    [
      { DATABASE_URL: 'postgresql://h/d', READ_DATABASE_URL: 'mysql://u:hush@h/d' },
      'READ_DATABASE_URL must be a URL such as postgresql://',
    ],
  ])('rejects %j in words that say what to do', (variables, words) => {
    expect(() => readConfig(variables)).toThrow(words);
    expect(() => readConfig(variables)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hush') }),
    );
  });

  it('does not tell of access where the address to listen on is wrong', () => {
    expect(() => readConfig({ HOST: '300.1.1.1' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('ACCESS') }),
    );
  });

  it('repeats no secret', () => {
    expect(() => readConfig({ DATABASE_URL: 'mysql://u:secret@h/d', ADMIN_API_KEY: 'tiny-secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('secret@') }),
    );
    expect(() => readConfig({ ADMIN_API_KEY: 'tiny-secret' })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('tiny-secret') }),
    );
  });
});

describe('the key of the administrator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mintmark-config-'));
  const fileOf = (name: string, content: string): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each([
    ['one character', 'k'.repeat(32), false],
    ['eleven different characters', 'abcdefghijk'.repeat(3), false],
    ['twelve different characters', 'abcdefghijkl'.repeat(3), true],
    [
      'what openssl rand -hex 32 could give',
      '0123456789ab4c6d8e0f123456789abc4d6e8f0123456789abc4d6e8f012345678',
      true,
    ],
  ])('of %s is rejected or taken', (_, ADMIN_API_KEY, isTaken) => {
    const read = () => readConfig({ ACCESS: 'keys', ADMIN_API_KEY }).adminApiKey;
    if (isTaken) expect(read()).toBe(ADMIN_API_KEY);
    else expect(read).toThrow('ADMIN_API_KEY must have at least 12 different characters');
  });

  it.each(['', '\n', '\r\n'])('is read from ADMIN_API_KEY_FILE, whose last line may end with %j', (end) => {
    const ADMIN_API_KEY_FILE = fileOf('key', KEY + end);
    expect(readConfig({ ACCESS: 'keys', ADMIN_API_KEY_FILE }).adminApiKey).toBe(KEY);
  });

  it.each([
    ['is too short', 'short-secret'],
    ['has two lines', `${KEY}\n${KEY}\n`],
    ['is empty', '\n'],
    ['has more than 4 KB', KEY.repeat(200)],
  ])('in a file that %s is rejected, and not shown', (_, content) => {
    const ADMIN_API_KEY_FILE = fileOf('wrong', content);
    const read = () => readConfig({ ACCESS: 'keys', ADMIN_API_KEY_FILE });
    expect(read).toThrow('ADMIN_API_KEY');
    expect(read).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/short-secret|correct-horse-battery/) }),
    );
  });

  it('is rejected if its file cannot be read, or if both variables are set', () => {
    const missing = join(folder, 'missing');
    expect(() => readConfig({ ACCESS: 'keys', ADMIN_API_KEY_FILE: missing })).toThrow(missing);
    const twice = { ACCESS: 'keys', ADMIN_API_KEY: KEY, ADMIN_API_KEY_FILE: fileOf('twice', KEY) };
    expect(() => readConfig(twice)).toThrow('both set');
  });
});

describe('the file .env', () => {
  it('that cannot be read stops the start, and is not taken for one that does not exist', () => {
    const folder = mkdtempSync(join(tmpdir(), 'mintmark-env-'));
    const program = `import { readConfig } from '${new URL('../../dist/config/config.js', import.meta.url).href}'; readConfig();`;
    const errorOf = () =>
      spawnSync(process.execPath, ['--input-type=module', '-e', program], {
        ...{ cwd: folder, env: {}, encoding: 'utf8' },
      }).stderr;
    try {
      expect(errorOf()).toBe('');
      if (process.getuid?.() === 0) mkdirSync(join(folder, '.env'));
      else writeFileSync(join(folder, '.env'), 'ACCESS=keys', { mode: 0o000 });
      expect(errorOf()).toMatch(/StartupError: The file \.env in .* cannot be read/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a misspelled variable', () => {
  it.each([
    ['DATABSE_URL', 'DATABASE_URL'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['database_url', 'DATABASE_URL'],
    ['ADMIN_APIKEY', 'ADMIN_API_KEY'],
    ['REQUEST_TIMEOUT', 'REQUEST_TIMEOUT_MS'],
    ['ACESS', 'ACCESS'],
    ['HSOT', 'HOST'],
    ['PROT', 'PORT'],
  ])('%s is reported as %s', (name, likely) => {
    expect(readConfig({ [name]: '' }).misspelledVariables).toEqual([{ name, likely }]);
  });

  it('is not suspected in a variable of another program', () => {
    const others =
      'HOME HOSTNAME HOSTTYPE LOGNAME USER PATH PWD OLDPWD SHELL SHLVL TERM LANG LC_ALL TZ TMPDIR EDITOR MAIL _ SSH_AUTH_SOCK ' +
      'NODE_ENV NODE_OPTIONS NPM_TOKEN npm_config_cache INIT_CWD PORTS POST SORT HOSTS COST ACCESS_KEY ACCESS_TOKEN DATA_HOME ' +
      'DATABASE PGHOST PGPORT PGDATA PGUSER REDIS_URL LOG_FORMAT SUCCESS PROCESS RESOLVER METRICS http_proxy NO_PROXY CI ' +
      'KUBERNETES_SERVICE_HOST KUBERNETES_PORT DOCKER_HOST XDG_DATA_DIRS AWS_ACCESS_KEY_ID API_KEY JAVA_HOME';
    const variables = Object.fromEntries(others.split(' ').map((name) => [name, 'x']));
    expect(readConfig(variables).misspelledVariables).toEqual([]);
  });

  it('is named too where the configuration is rejected', () => {
    expect(() => readConfig({ ACCESS: 'keys', ADMIN_API_KYE: KEY })).toThrow(
      'ADMIN_API_KYE is unknown; did you mean ADMIN_API_KEY?',
    );
  });
});
