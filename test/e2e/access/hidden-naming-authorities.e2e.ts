import { beforeAll, describe, expect, it } from '@jest/globals';
import { useService } from '../harness/service.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };

// A key for 7 sees neither 8, whose local names are GUIDs, nor 80, which permits any; 9 and 90 do not exist.
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
  const handles = { namingAuthority: '80', profile: 'handle', caseInsensitive: true };
  expect((await service.client.post('/naming-authorities', handles, ADMIN)).status).toBe(201);
  const registered = [
    { namingAuthority: '8', guid: GUID },
    { namingAuthority: '80', localName: GUID.toLowerCase() },
  ];
  for (const fields of registered) expect((await service.client.post('/identifiers', fields, ADMIN)).status).toBe(201);
});

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';

/** Replaces the names of hidden and of missing naming authorities, which are the only permitted difference. */
const neutral = (text: string): string =>
  text
    .replaceAll(/(?:hidden|unknown)(?=\.example\.org)/g, 'HOST')
    .replaceAll(/(?<![0-9])[89](0?)(?=\/|%2F|"|\\"|\.5)/g, 'NA$1');

/** Each form of an identifier under a hidden naming authority, and under a missing one. */
const PAIRS = [
  ['8/abc', '9/abc'],
  [`8/${GUID}`, `9/${GUID}`],
  [`hdl:8/${GUID.toLowerCase()}`, `hdl:9/${GUID.toLowerCase()}`],
  [`80/${GUID.toLowerCase()}`, `90/${GUID.toLowerCase()}`],
  ['80/Abc', '90/Abc'],
  ['80/abc?x=1', '90/abc?x=1'],
  [`https://hidden.example.org/8/${GUID}`, `https://unknown.example.org/9/${GUID}`],
  [`hidden.example.org/8/${GUID}`, `unknown.example.org/9/${GUID}`],
] as const;

describe('a naming authority that is hidden from a key cannot be distinguished from a missing one', () => {
  /** Sends the same request about both, and expects one response. */
  async function expectSame(ask: (text: string) => Promise<{ status: number; text: string }>): Promise<void> {
    for (const [hidden, unknown] of PAIRS) {
      const answers = [await ask(hidden), await ask(unknown)].map(({ status, text }) => [status, neutral(text)]);
      expect([hidden, answers[0]]).toEqual([hidden, answers[1]]);
    }
  }

  it('by a path, its URIs and its history', async () => {
    for (const suffix of ['', '/uris', '/history']) {
      await expectSame((text) => service.client.get(`/identifiers/${encodeURIComponent(text)}${suffix}`, stranger));
    }
  });

  it('by a look-up', async () => {
    await expectSame((text) => service.client.post('/identifiers/lookup', { items: [text] }, stranger));
  });

  it('by the filters of a list and of an export', async () => {
    for (const list of ['/identifiers', '/identifiers/export']) {
      for (const name of ['metadataId', 'alternateId']) {
        await expectSame(async (text) => {
          const path = `${service.server.url}${list}?${name}=${encodeURIComponent(text)}`;
          const answer = await fetch(path, { headers: stranger });
          return { status: answer.status, text: await answer.text() };
        });
      }
    }
  });

  it('by the replacement of an identifier', async () => {
    await expectSame(async (replacedBy) => {
      const { identifier } = (await service.client.post('/identifiers', { namingAuthority: '7' }, ADMIN)).body;
      const body = { reason: 'Twice.', replacedBy };
      const { status, body: answer } = await service.client.post(`/identifiers/${identifier}/withdraw`, body, stranger);
      const shown = status === 200 ? answer.tombstone.replacedBy : { ...answer, instance: '' };
      return { status, text: JSON.stringify(shown) };
    });
  });

  it('by the resolver in the URL of a metadata ID', async () => {
    const minter = await keyFor('minter', ['mint'], '7');
    const answers = [];
    for (const [name, prefix] of [
      ['hidden', '8'],
      ['unknown', '9'],
    ]) {
      const metadataId = `https://${name}.example.org/${prefix}/${GUID}`;
      const { status, text } = await service.client.post('/identifiers', { namingAuthority: '7', metadataId }, minter);
      answers.push([status, neutral(text)]);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]![0]).toBe(400);
  });

  it('by an import, which rejects both as outside the grants of the key', async () => {
    const admin = await keyFor('importer', ['admin'], '7');
    const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
    const ask = async (line: object) => {
      const headers = { 'content-type': 'application/x-ndjson', ...admin };
      const body = `${JSON.stringify({ state: 'active', version: 1, ...times, ...line })}\n`;
      return service.client.send('POST', '/identifiers/import', headers, body);
    };
    await expectSame((identifier) => ask({ identifier }));
    for (const identifier of [`8/${GUID}`, '8/abc', '80/Abc', '9/abc']) {
      expect([identifier, (await ask({ identifier })).text]).toEqual([
        identifier,
        expect.stringContaining('NAMING_AUTHORITY_FORBIDDEN'),
      ]);
    }
    let count = 0;
    await expectSame(async (replacedBy) => {
      const tombstone = { withdrawnAt: times.createdAt, reason: 'Twice.', replacedBy };
      const identifier = `7/${(++count).toString(16).toUpperCase().padStart(32, '0')}`;
      const { status, text } = await ask({ identifier, state: 'withdrawn', tombstone });
      const { body } = await service.client.get(`/identifiers/${identifier}`, admin);
      return { status, text: `${text} ${body.tombstone?.replacedBy}`.replaceAll(identifier, '') };
    });
  });

  it('by the parent of a new one', async () => {
    const admin = await keyFor('office', ['admin'], '8.5', '9.5');
    const answers = [];
    for (const namingAuthority of ['8.5', '9.5']) {
      const { status, body } = await service.client.post('/naming-authorities', { namingAuthority }, admin);
      answers.push([status, body.parent]);
    }
    expect(answers).toEqual([
      [201, null],
      [201, null],
    ]);
  });

  it.each([
    ['a local name that is not a GUID', 'GET', (prefix: string) => `/identifiers/${prefix}/abc`],
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
    const { body } = await service.client.post('/identifiers/lookup', { items: ['8/abc', '9/abc', '7/abc'] }, stranger);
    expect(body.items.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['missing', 'missing', 'malformed']);
  });

  it('by a normalization, and by an alternate of a mint', async () => {
    await expectSame((text) => service.client.post('/normalize', { items: [{ input: text }] }, stranger));
    const minter = await keyFor('alternates', ['mint'], '7');
    await expectSame(async (text) => {
      const body = { namingAuthority: '7', alternateIds: [text] };
      const { status, body: answer } = await service.client.post('/identifiers', body, minter);
      return { status, text: JSON.stringify([answer.code, answer.alternateIds]) };
    });
  });
});

describe('a repeat with the Idempotency-Key of another key of the client that sees less', () => {
  it('does not show which hidden identifiers an identifier describes', async () => {
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

  it('does not show the hidden relatives of a naming authority', async () => {
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

describe('a look-up of texts', () => {
  it('returns no candidate of a hidden naming authority to a restricted reader, and no ambiguity by one', async () => {
    const target = 'https://repo.example.org/hidden-and-not';
    const guid = '33333333222243338444555555555555';
    const metadataId = 'demo:hidden-and-not';
    // The hidden ones come first, and are more than the maximum of candidates.
    for (let n = 0; n < 12; n++) await service.client.post('/identifiers', { namingAuthority: '8', target }, ADMIN);
    for (const namingAuthority of ['8', '8.1', '7']) {
      const item = { namingAuthority, guid, target, metadataId };
      expect((await service.client.post('/identifiers', item, ADMIN)).status).toBe(201);
    }
    const inputs = [guid, target, metadataId, `"${target}".`];
    const seen = await service.client.post('/identifiers/lookup', { items: inputs }, stranger);
    expect(seen.body.items.map((item: any) => [item.outcome, item.identifier, item.others])).toEqual(
      inputs.map(() => ['found', `7/${guid}`, []]),
    );
    expect(seen.text).not.toContain('candidates');
    const alone = await service.client.get(`/identifiers/${guid}`, stranger);
    expect([alone.status, alone.body.identifier]).toEqual([200, `7/${guid}`]);
    expect((await service.client.get(`/identifiers/${guid}`, ADMIN)).status).toBe(300);
    const all = await service.client.post('/identifiers/lookup', { items: inputs }, ADMIN);
    expect(all.body.items.map((item: any) => [item.outcome, item.candidates.length])).toEqual([
      ['ambiguous', 3],
      ['ambiguous', 10],
      ['ambiguous', 3],
      ['ambiguous', 10],
    ]);
  });
});
