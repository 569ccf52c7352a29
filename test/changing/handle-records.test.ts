import { describe, expect, it } from '@jest/globals';
import { ADMIN, Principal } from '../../src/access/principal.js';
import { HandleFault } from '../../src/handle/values/index.js';
import { HandleRecordsService } from '../../src/changing/handle-records.service.js';
import { locationIn } from '../../src/changing/handle-location.js';
import { DEFAULT_RESOLVER } from '@mintmark/identifier';
import { Problem } from '../../src/problem/problem.js';
import type { IdentifierSnapshot } from '../../src/registry/identifier-record.js';
import { NamingAuthoritySnapshot } from '../../src/registry/naming-authority-snapshot.js';
import type { StoredValue } from '../../src/registry/stored-value.js';
import { GUID, authorityWith, recordWith } from '../records.js';

const KNOWN = new NamingAuthoritySnapshot(
  [
    authorityWith(),
    authorityWith({ prefix: 'Lib', profile: 'handle' }),
    authorityWith({ prefix: '20.500', profile: 'handle', storesHandleValues: true }),
  ],
  DEFAULT_RESOLVER,
);
const TARGET = 'https://a.example/';
const value = (index: number, type: string, text: string): StoredValue => ({
  ...{ index, type, data: { format: 'string', value: text }, ttl: 60, permissions: '1110' },
  timestamp: '2020-01-01T00:00:00Z',
});
const [URL_1, EMAIL_2, METADATA_3] = [value(1, 'URL', TARGET), value(2, 'EMAIL', 'a'), value(3, 'METADATA_ID', 'a:1')];
const LIB_CLIENT = new Principal('c', null, ['curate', 'register'], [{ namingAuthority: 'Lib', derived: false }]);

interface Setting {
  readonly registered?: boolean;
  readonly state?: IdentifierSnapshot['state'];
  /** The code with which a mint is rejected. */
  readonly rejection?: 'IDENTIFIER_TAKEN' | 'GUID_TAKEN' | 'METADATA_ID_TAKEN';
}

/** A service of which the requests to mint and to change are noted. */
function serviceWith({ registered = false, state = 'active', rejection }: Setting = {}) {
  const calls: unknown[] = [];
  const curation = {
    run: ({ identifier, requireCurrent }: any, command: { step: string }) => {
      calls.push([command.step, identifier]);
      requireCurrent?.({ state });
      return Promise.resolve({ result: 'changed' });
    },
  };
  const minting = {
    knownFor: () => Promise.resolve(KNOWN),
    mint: (request: object) => {
      calls.push(request);
      return rejection === undefined
        ? Promise.resolve({ outcome: 'created' })
        : Promise.reject(new Problem(rejection, ''));
    },
  };
  const reader = { find: () => Promise.resolve(registered ? recordWith() : null) };
  const service = new HandleRecordsService(curation as never, minting as never, reader as never);
  return { service, calls };
}

const context = (principal = ADMIN) => ({ principal, idempotencyKey: null }) as never;
const codeOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof HandleFault ? error.responseCode : error instanceof Problem ? error.code : error;
};

async function put(handle: string, values: StoredValue[], setting: Setting = {}, more: object = {}) {
  const { service, calls } = serviceWith(setting);
  const written = { values, indexes: null, overwrite: true, ...more };
  const work = service.put(context(), handle, written);
  return { code: await codeOf(work), outcome: await work.catch(() => null), calls };
}

describe('a PUT of a Handle that does not exist', () => {
  it.each([
    ['Lib/x', [URL_1], { namingAuthority: 'Lib', localName: 'x', target: TARGET }],
    ['lib/x', [], { namingAuthority: 'Lib', localName: 'x' }],
    [
      `100.102/${GUID.toLowerCase()}`,
      [URL_1, METADATA_3],
      {
        ...{ namingAuthority: '100.102', guid: GUID, target: TARGET, metadataId: 'a:1' },
      },
    ],
    [
      '20.500/x',
      [URL_1, EMAIL_2],
      {
        ...{ namingAuthority: '20.500', localName: 'x', target: TARGET, handleValues: [URL_1, EMAIL_2] },
      },
    ],
    [
      '20.500/x',
      [value(1, 'URL', 'ftp://a.example/')],
      {
        ...{ namingAuthority: '20.500', localName: 'x', handleValues: [value(1, 'URL', 'ftp://a.example/')] },
      },
    ],
  ])(
    'registers %s, and neither returns nor updates another record with its metadata ID',
    async (handle, values, request) => {
      const { outcome, calls } = await put(handle, values);
      expect([outcome, calls]).toEqual(['created', [{ ...request, onExisting: 'reject' }]]);
    },
  );

  it.each([
    ['some of its values', 'Lib/x', [URL_1], { indexes: [1] }, 100],
    ['an empty local name', 'Lib/', [URL_1], {}, 4],
    ['a value that is not stored there', 'Lib/x', [EMAIL_2], {}, 4],
    ['a second URL that is not stored there', 'Lib/x', [URL_1, value(2, 'URL', TARGET)], {}, 4],
    ['another prefix', '99.9/x', [URL_1], {}, 301],
    ['a text without "/"', 'Lib', [URL_1], {}, 301],
    ['a local name of more than 8192 bytes', `Lib/${'é'.repeat(4097)}`, [URL_1], {}, 4],
  ])('is rejected with %s', async (_, handle, values, more, code) => {
    const rejected = await put(handle, values, {}, more);
    expect([rejected.code, rejected.calls]).toEqual([code, []]);
  });

  it('replaces the values where another request registered it meanwhile, and not after another conflict', async () => {
    for (const rejection of ['IDENTIFIER_TAKEN', 'GUID_TAKEN'] as const) {
      const { outcome, calls } = await put('Lib/x', [URL_1], { rejection });
      expect([outcome, calls[1]]).toEqual(['replaced', ['put', 'hdl:Lib/x']]);
    }
    const { code, calls } = await put('Lib/x', [URL_1], { rejection: 'METADATA_ID_TAKEN' });
    expect([code, calls.length]).toEqual(['METADATA_ID_TAKEN', 1]);
  });
});

describe('a write of a Handle that exists', () => {
  it.each([
    ['active', 'replaced'],
    ['reserved', 'replaced'],
    ['withdrawn', 'created'],
  ] as const)('replaces values of one that is %s, for a client: %s', async (state, outcome) => {
    const written = await put('Lib/x', [URL_1], { registered: true, state });
    expect([written.outcome, written.calls]).toEqual([outcome, [['put', 'hdl:Lib/x']]]);
    const part = await put('Lib/x', [URL_1], { registered: true, state }, { indexes: [1] });
    expect(part.calls).toEqual([['put', 'hdl:Lib/x']]);
  });

  it.each([
    ['removed', (service: HandleRecordsService, of: never) => service.remove(of, 'Lib/x', [1])],
    ['deleted', (service: HandleRecordsService, of: never) => service.delete(of, 'Lib/x')],
  ])(
    'is %s for a client of its prefix, and not for one of another prefix or where it does not exist',
    async (step, write) => {
      const existing = serviceWith({ registered: true });
      expect(await codeOf(write(existing.service, context(LIB_CLIENT)))).toBeNull();
      expect(existing.calls).toEqual([[step, 'hdl:Lib/x']]);
      const missing = serviceWith();
      expect(await codeOf(write(missing.service, context()))).toBe(100);
      const hidden = serviceWith({ registered: true });
      const stranger = new Principal('c', null, ['curate'], [{ namingAuthority: '20.500', derived: true }]);
      expect(await codeOf(write(hidden.service, context(stranger)))).toBe(301);
      expect([...missing.calls, ...hidden.calls]).toEqual([]);
    },
  );
});

describe('a mint of a Handle with values', () => {
  it.each([
    ['Lib/', ''],
    ['Lib/pre-', 'pre-'],
  ])('after %j has a local name that starts with %j', async (start, localNameStart) => {
    const { service, calls } = serviceWith();
    await service.mint(context(), start, [URL_1]);
    expect(calls).toEqual([{ namingAuthority: 'Lib', onExisting: 'reject', target: TARGET, localNameStart }]);
  });
});

describe('the location of a Handle', () => {
  const hyphened = GUID.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  const kindOf = (handle: string) => {
    const location = locationIn(KNOWN, handle);
    return location.kind === 'here'
      ? [location.authority.prefix, location.localName, location.address !== null]
      : location.kind;
  };

  it.each([
    ['lib/A/b', ['Lib', 'A/b', true]],
    ['Lib/', ['Lib', '', false]],
    [`100.102/${GUID.toLowerCase()}`, ['100.102', GUID, true]],
    [`100.102/${hyphened}`, ['100.102', GUID, true]],
    [`100.102/${GUID}?v=1`, ['100.102', GUID, true]],
    ['100.102/report', ['100.102', 'report', false]],
    ['100.102.7/x', 'foreign'],
    ['Lib', 'foreign'],
  ])('of %j is %j', (handle, location) => {
    expect(kindOf(handle)).toEqual(location);
  });

  it('is nowhere with a local name of more than 8192 bytes', () => {
    expect(kindOf(`Lib/${'x'.repeat(8192)}`)).toEqual(['Lib', 'x'.repeat(8192), true]);
    expect(kindOf(`Lib/${'x'.repeat(8193)}`)).toBe('tooLong');
  });
});
