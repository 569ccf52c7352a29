import { describe, expect, it } from '@jest/globals';
import { readConfig } from '../../src/config/config.js';

const KEYS = { ACCESS: 'keys', ADMIN_API_KEY: 'correct-horse-battery-staple-correct-horse' };

describe('INTERFACES', () => {
  it.each([
    ['with open access', {}, ['api', 'resolver', 'handles']],
    ['with open access, whatever PUBLIC_READ is', { PUBLIC_READ: 'false' }, ['api', 'resolver', 'handles']],
    ['with keys', KEYS, ['api', 'resolver']],
    ['with keys where reading requires one', { ...KEYS, PUBLIC_READ: 'false' }, ['api']],
    ['that are named', { ...KEYS, PUBLIC_READ: 'false', INTERFACES: ' resolver , api' }, ['api', 'resolver']],
    ['of which one is named', { INTERFACES: 'resolver' }, ['resolver']],
  ])('%s are these', (_, variables, interfaces) => {
    expect([...readConfig(variables).interfaces]).toEqual(interfaces);
  });

  it.each(['web', 'api,web', ',', 'API'])('rejects %j', (INTERFACES) => {
    expect(() => readConfig({ INTERFACES })).toThrow(
      /INTERFACES must be a comma-separated list of api, resolver, handles/,
    );
  });
});

describe('RESOLVER_UPSTREAM', () => {
  it.each([
    ['https://hdl.handle.net', 'https://hdl.handle.net/'],
    ['HTTPS://HDL.handle.net:443/', 'https://hdl.handle.net/'],
    ['http://resolver.example:8000/hdl', 'http://resolver.example:8000/hdl/'],
  ])('%s is the resolver %s', (url, prefix) => {
    expect(readConfig({ RESOLVER_UPSTREAM: url }).upstream?.prefix).toBe(prefix);
  });

  it('is none by default', () => {
    expect(readConfig({}).upstream).toBeNull();
  });
});
