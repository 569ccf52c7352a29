import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';

const KEY = 'k'.repeat(32);

describe('the configuration', () => {
  it('has a default for everything: embedded, open, on the loopback address', () => {
    expect(readConfig({})).toMatchObject({
      port: 3000,
      host: '127.0.0.1',
      database: { dataDir: expect.stringMatching(/\.data$/) },
      namingAuthorities: ['100.102'],
      resolver: { scheme: 'http', authority: 'hdl.handle.net', firstSegment: null },
      adminApiKey: null,
    });
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ PORT: '', HOST: '', NAMING_AUTHORITIES: '', RESOLVER_FIRST_SEGMENT: '' })).toEqual(
      readConfig({}),
    );
  });

  it('R-25: keeps the zeros of naming authorities, and each authority once', () => {
    expect(readConfig({ NAMING_AUTHORITIES: ' 2000.01, 100.102,2000.01' }).namingAuthorities).toEqual([
      '2000.01',
      '100.102',
    ]);
  });

  it('URI-36: normalises the resolver like the URIs it is compared with', () => {
    const { resolver } = readConfig({
      RESOLVER_SCHEME: 'HTTPS',
      RESOLVER_AUTHORITY: 'HDL.Handle.net:443',
      RESOLVER_FIRST_SEGMENT: 'hdl',
    });
    expect(resolver).toMatchObject({ scheme: 'https', authority: 'hdl.handle.net', firstSegment: 'hdl' });
  });

  it('makes no naming authority in a database that is not its own', () => {
    expect(readConfig({ DATABASE_URL: 'postgresql://h/d', ADMIN_API_KEY: KEY }).namingAuthorities).toEqual([]);
  });

  it.each(['127.0.0.1', '127.9.9.9', 'localhost', '::1'])('lets access be open on %s', (HOST) => {
    expect(readConfig({ HOST }).adminApiKey).toBeNull();
  });

  it.each(['0.0.0.0', '::', '10.0.0.1', '127.0.0.1.example.org', 'localhost.example.org'])(
    'refuses open access on %s, and takes it with a key',
    (HOST) => {
      expect(() => readConfig({ HOST })).toThrow('ACCESS');
      expect(readConfig({ HOST, ACCESS: 'keys', ADMIN_API_KEY: KEY }).adminApiKey).toBe(KEY);
    },
  );

  it('limits nobody where access is open, and every key where it is not, unless it is told otherwise', () => {
    const none = { perKeyPerMinute: 0, concurrentPerKey: 0, longLivedPerKey: 0 };
    expect(readConfig({}).limits).toMatchObject(none);
    const { perKeyPerMinute, concurrentPerKey, longLivedPerKey } = readConfig({
      ACCESS: 'keys',
      ADMIN_API_KEY: KEY,
    }).limits;
    expect(Math.min(perKeyPerMinute, concurrentPerKey, longLivedPerKey)).toBeGreaterThan(0);
    const told = { RATE_LIMIT_PER_KEY_PER_MINUTE: '7', MAX_CONCURRENT_PER_KEY: '8', MAX_LONG_LIVED_PER_KEY: '9' };
    const expected = { perKeyPerMinute: 7, concurrentPerKey: 8, longLivedPerKey: 9 };
    expect(readConfig(told).limits).toMatchObject(expected);
    expect(readConfig({ ...told, ACCESS: 'keys', ADMIN_API_KEY: KEY }).limits).toMatchObject(expected);
  });

  it('lets no wait for the database be longer than ten seconds: a connection, or a statement and a second for its answer', () => {
    const { pool } = readConfig({});
    expect(pool.connectTimeoutMs).toBeLessThanOrEqual(10_000);
    expect(pool.statementTimeoutMs + 1000).toBeLessThanOrEqual(10_000);
  });

  it('believes no proxy that is not named, and takes addresses and networks', () => {
    expect(readConfig({}).trustedProxies).toEqual([]);
    expect(readConfig({ TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.7' }).trustedProxies).toEqual([
      '10.0.0.0/8',
      '::1',
      '192.0.2.7',
    ]);
  });

  it.each([
    ['PORT', '65536'],
    ['TRUSTED_PROXIES', 'proxy.example.org'],
    ['TRUSTED_PROXIES', '10.0.0.0/33'],
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
    ['NAMING_AUTHORITIES', '100..102'],
    ['NAMING_AUTHORITIES', '10.ABC'],
    ['NAMING_AUTHORITIES', '1'.repeat(256)],
    ['RESOLVER_SCHEME', 'ftp'],
    ['RESOLVER_AUTHORITY', 'user@host'],
    ['RESOLVER_FIRST_SEGMENT', 'a/b'],
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readConfig({ [name]: value })).toThrow(name);
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
