import { beforeAll, describe, expect, it } from '@jest/globals';
import { ADMIN, ADMIN_KEY } from '../access/authorisation/credentials.js';
import { exchange } from '../harness/exchange.js';
import { useService } from '../harness/service.js';

type Headers = Record<string, string>;
const TARGET = 'https://repo.example.org/objects/7';

/** The content of a value that not everybody may read. */
const HIDDEN = 'open-sesame';

describe.each([
  ['open', 'true'],
  ['closed', 'false'],
])('where reading is %s', (reading, publicRead) => {
  const isOpen = reading === 'open';
  const service = useService({
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    PUBLIC_READ: publicRead,
    INTERFACES: 'api,resolver,handles',
    NAMING_AUTHORITIES: '',
  });
  /** Keys of one naming authority each. */
  const keys: Record<string, Headers> = {};

  const ask = async (path: string, headers: Headers) => {
    const { status, text } = await exchange(service.server.url, path, { headers });
    return { status, text };
  };
  const jsonAt = async (path: string, headers: Headers): Promise<unknown> =>
    JSON.parse((await ask(path, headers)).text) as unknown;

  beforeAll(async () => {
    for (const prefix of ['70', '80']) {
      const settings = { namingAuthority: prefix, profile: 'handle', storesHandleValues: true };
      expect((await service.client.post('/naming-authorities', settings, ADMIN)).status).toBe(201);
      for (const name of ['a', 'b', 'c']) {
        const values = [
          { index: 1, type: 'URL', data: TARGET },
          { index: 3, type: 'NOTE', data: HIDDEN, permissions: '1100' },
        ];
        const { status } = await exchange(service.server.url, `/api/handles/${prefix}/${name}`, {
          method: 'PUT',
          headers: { 'content-type': 'application/json', ...ADMIN },
          body: JSON.stringify(values),
        });
        expect(status).toBe(201);
      }
    }
    for (const [name, prefix, scopes] of [
      ['curator of 70', '70', ['read', 'curate']],
      ['curator of 80', '80', ['read', 'curate']],
      ['reader of 80', '80', ['read', 'mint', 'register']],
      ['admin of 70', '70', ['admin']],
      ['admin of 80', '80', ['admin']],
    ] as const) {
      const fields = { client: 'c', scopes, namingAuthorities: [{ namingAuthority: prefix }] };
      const { status, body } = await service.client.post('/api-keys', fields, ADMIN);
      expect(status).toBe(201);
      keys[name] = { authorization: `Bearer ${body.secret}` };
    }
    keys.anonymous = {};
  });

  /** Whether the value and the target are in the response; null where the handle is not shown. */
  const shown = async (path: string, name: string): Promise<{ url: boolean; hidden: boolean } | null> => {
    const { status, text } = await ask(path, keys[name]!);
    return status === 200 ? { url: text.includes(TARGET), hidden: text.includes(HIDDEN) } : null;
  };

  it.each(['', '?publicOnly=false&type=URL&type=NOTE', '?index=1&index=3', '?publicOnly=false', '?pretty=true'])(
    'values that are not public are shown by /api/handles%s to keys that may change them',
    async (query) => {
      const path = `/api/handles/80/a${query}`;
      const all = { url: true, hidden: true };
      const withoutHidden = { url: true, hidden: false };
      for (const name of ['curator of 80', 'admin of 80']) expect([name, await shown(path, name)]).toEqual([name, all]);
      expect(await shown(path, 'reader of 80')).toEqual(withoutHidden);
      for (const name of ['curator of 70', 'admin of 70'])
        expect([name, await shown(path, name)]).toEqual([name, isOpen ? withoutHidden : null]);
      const isRejected = !isOpen || query.includes('publicOnly=false');
      expect(await shown(path, 'anonymous')).toEqual(isRejected ? null : withoutHidden);
    },
  );

  it.each([
    ['the resolver', '/80/a?noredirect'],
    ['the values of the resolver', '/80/a?noredirect&action=api'],
    ['the record', '/identifiers/80%2Fa'],
    ['the list', '/identifiers?namingAuthority=80&limit=1'],
    ['the history', '/identifiers/80%2Fa/history'],
    ['the events', '/events?namingAuthority=80'],
    ['the reverse look-up', '/hrls/handles/80?URL=*&retrieverecords=true'],
  ])('values that are not public are shown by %s to no key', async (_, path) => {
    for (const name of ['curator of 80', 'admin of 80'])
      expect([name, await shown(path, name)]).toEqual([name, { url: true, hidden: false }]);
    const other = await shown(path, 'admin of 70');
    expect(other?.hidden ?? false).toBe(false);
  });

  it.each(['application/x-ndjson', 'text/csv'])(
    'the export as %s has values that are not public for a key with the scope "admin" that covers them',
    async (accept) => {
      const notes = async (name: string) => {
        const { status, text } = await ask('/identifiers/export', { ...keys[name], accept });
        expect(status).toBe(200);
        const lines = text.split('\n').filter((line) => /["]\d0\/[abc]"/.test(line));
        const having = (prefix: string) => lines.filter((line) => line.includes(`"${prefix}/`));
        return ['70', '80'].map((prefix) => [
          having(prefix).length,
          having(prefix).filter((line) => line.includes(HIDDEN)).length,
        ]);
      };
      const others = isOpen ? 3 : 0;
      expect(await notes('admin of 80')).toEqual([
        [others, 0],
        [3, 3],
      ]);
      expect(await notes('admin of 70')).toEqual([
        [3, 3],
        [others, 0],
      ]);
      expect(await notes('curator of 80')).toEqual([
        [others, 0],
        [3, 0],
      ]);
    },
  );

  it('a key for one prefix lists and searches that prefix alone', async () => {
    for (const [prefix, other] of [
      ['70', '80'],
      ['80', '70'],
    ] as const) {
      const key = keys[`curator of ${prefix}`]!;
      const own = ['a', 'b', 'c'].map((name) => `${prefix}/${name}`);
      expect(await jsonAt('/api/prefixes', key)).toMatchObject({ totalCount: '1', prefixes: [`0.NA/${prefix}`] });
      expect(await jsonAt(`/api/handles?prefix=${prefix}`, key)).toMatchObject({ totalCount: '3', handles: own });
      expect(await jsonAt(`/hrls/handles/${prefix}?URL=${TARGET}`, key)).toEqual(own);
      for (const query of [`URL=${TARGET}`, 'URL=*example*']) {
        expect(await jsonAt(`/hrls/handles?${query}`, key)).toEqual(own);
        expect(await jsonAt(`/hrls/handles?${query}&limit=2&page=1`, key)).toEqual(own.slice(2));
      }
      for (const path of [`/api/handles?prefix=${other}`, `/hrls/handles/${other}?URL=${TARGET}`])
        expect(await jsonAt(path, key)).toMatchObject({ responseCode: 301 });
    }
    expect(await jsonAt('/api/prefixes', ADMIN)).toMatchObject({ prefixes: ['0.NA/70', '0.NA/80'] });
    expect(await jsonAt(`/hrls/handles?URL=${TARGET}`, ADMIN)).toHaveLength(6);
  });

  it('/hdlresolver shows a key what it can see', async () => {
    const key = keys['curator of 70']!;
    expect(await jsonAt('/hdlresolver/listprefixes', key)).toEqual(isOpen ? ['70', '80'] : ['70']);
    expect(await jsonAt('/hdlresolver/listprefixes', ADMIN)).toEqual(['70', '80']);
    expect(await jsonAt('/hdlresolver/resolve/70/a', key)).toEqual([TARGET]);
    expect(await jsonAt('/hdlresolver/resolve/80/a', key)).toEqual(isOpen ? [TARGET] : null);
    expect(await jsonAt('/hdlresolver/listhandles/70', key)).toEqual(['70/a', '70/b', '70/c']);
    expect(await jsonAt('/hdlresolver/listhandles/80', key)).toMatchObject(
      isOpen ? ['80/a', '80/b', '80/c'] : { responseCode: 301 },
    );
  });

  it('the resolver shows a handle of another prefix as one that does not exist, unless the key can see it', async () => {
    for (const query of ['', '?noredirect', '?noredirect&action=api', '?action=showurls']) {
      for (const accept of ['*/*', 'text/html', 'application/json']) {
        const statusOf = async (path: string, name: string) =>
          (await ask(`${path}${query}`, { ...keys[name], accept })).status;
        const found = query === '' ? 302 : 200;
        expect(await statusOf('/80/a', 'curator of 80')).toBe(found);
        const [other, missing] = [await statusOf('/80/a', 'curator of 70'), await statusOf('/81/a', 'curator of 70')];
        expect([query, accept, missing, other]).toEqual([query, accept, 404, isOpen ? found : 404]);
      }
    }
  });
});
