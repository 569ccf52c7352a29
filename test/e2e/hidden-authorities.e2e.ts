import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from './harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };

// Under 8 reading is closed to whoever has a key for 7 only; 9 is registered nowhere.
const service = useService({
  ACCESS: 'keys',
  ADMIN_API_KEY: ADMIN_KEY,
  PUBLIC_READ: 'false',
  NAMING_AUTHORITIES: '7,8,8.1',
});

type Headers = Record<string, string>;
let stranger: Headers;

async function keyFor(client: string, scopes: string[], ...prefixes: string[]): Promise<Headers> {
  const namingAuthorities = prefixes.map((namingAuthority) => ({ namingAuthority }));
  const { status, body } = await service.client.post('/api-keys', { client, scopes, namingAuthorities }, ADMIN);
  expect(status).toBe(201);
  return { authorization: `Bearer ${body.secret}` };
}

beforeAll(async () => {
  stranger = await keyFor('stranger', ['read', 'curate'], '7');
  const resolver = { resolver: { scheme: 'https', authority: 'hidden.example.org' } };
  const headers = { 'content-type': 'application/json', 'if-match': '*', ...ADMIN };
  const answer = await service.client.send('PATCH', '/naming-authorities/8', headers, JSON.stringify(resolver));
  expect(answer.status).toBe(200);
});

describe('a naming authority that is hidden from a key cannot be told from one that is not registered', () => {
  const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

  it.each([
    ['a local name that is no GUID', 'GET', (prefix: string) => `/identifiers/${prefix}/abc`],
    ['its history', 'GET', (prefix: string) => `/identifiers/${prefix}/abc/history`],
    ['an action on it', 'POST', (prefix: string) => `/identifiers/${prefix}/abc/reinstate`],
    ['a GUID', 'GET', (prefix: string) => `/identifiers/${prefix}/${GUID}`],
    ['the URIs of an identifier', 'GET', (prefix: string) => `/identifiers/${prefix}/${GUID}/uris`],
  ])('by %s', async (_, method, path) => {
    const [hidden, unknown] = await Promise.all(
      ['8', '9'].map(async (prefix) => {
        const { status, text } = await service.client.send(method, path(prefix), stranger);
        return [status, text.replaceAll(`${prefix}/`, 'NA/')];
      }),
    );
    expect(hidden).toEqual(unknown);
  });

  it('by a list of texts', async () => {
    const { body } = await service.client.post(
      '/identifiers/lookup',
      { inputs: ['8/abc', '9/abc', '7/abc'] },
      stranger,
    );
    expect(body.items.map(({ status }: { status: string }) => status)).toEqual(['missing', 'missing', 'malformed']);
  });
});

describe('a repeat with the Idempotency-Key of another key of the client that sees less', () => {
  it('does not tell which hidden identifiers an identifier describes', async () => {
    const [wide, narrow] = [
      await keyFor('library', ['read', 'mint', 'curate'], '7', '8'),
      await keyFor('library', ['read', 'mint', 'curate'], '7'),
    ];
    const { identifier } = (await service.client.post('/identifiers', { namingAuthority: '7' }, wide)).body;
    await service.client.post('/identifiers', { namingAuthority: '8', metadataId: identifier }, wide);
    const withdraw = (key: Headers) =>
      service.client.post(
        `/identifiers/${identifier}/withdraw`,
        { reason: 'Twice.' },
        { ...key, 'idempotency-key': 'w' },
      );
    expect((await withdraw(wide)).body.describes).toHaveLength(1);
    const repeat = await withdraw(narrow);
    expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(repeat.body.describes).toEqual([]);
  });

  it('does not tell the hidden relatives of a naming authority', async () => {
    const [wide, narrow] = [await keyFor('office', ['admin'], '8', '8.1'), await keyFor('office', ['admin'], '8')];
    const change = (key: Headers) =>
      service.client.send(
        'PATCH',
        '/naming-authorities/8',
        { 'content-type': 'application/json', 'if-match': '*', 'idempotency-key': 'c', ...key },
        '{"uuidVersion":7}',
      );
    expect((await change(wide)).body.children).toEqual(['8.1']);
    const repeat = await change(narrow);
    expect([repeat.headers.get('idempotency-replayed'), repeat.body.children]).toEqual(['true', []]);
  });
});
