import { beforeAll, describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const prefix = `${service.na}.4`;

const pathOf = (localName: string) => `/identifiers/${encodeURIComponent(`${prefix}/${localName}`)}`;
const patch = (localName: string, target: string, path = pathOf(localName)) =>
  service.client.send(
    'PATCH',
    path,
    { 'content-type': 'application/json', 'if-match': '*' },
    JSON.stringify({ target }),
  );
const register = async (localName: string) => {
  const { status } = await service.client.post('/identifiers', { namingAuthority: prefix, localName });
  expect([localName, status]).toEqual([localName, 201]);
};

beforeAll(async () => {
  const created = await service.client.post('/naming-authorities', { namingAuthority: prefix, profile: 'handle' });
  expect(created.status).toBe(201);
  // "y " is not registered.
  for (const localName of ['x', 'x ', 'y']) await register(localName);
});

describe('a text with a space at its end', () => {
  it('names the identifier that has the space, for a write and for a read', async () => {
    for (const start of ['', 'hdl:']) {
      const path = `/identifiers/${encodeURIComponent(`${start}${prefix}/x `)}`;
      const changed = await patch('x ', `https://a.example/${start}1`, path);
      expect([changed.status, changed.body.identifier]).toEqual([200, `${prefix}/x `]);
      expect(changed.body).not.toHaveProperty('repairs');
      const read = await service.client.get(path);
      expect([read.body.identifier, read.body.target]).toEqual([`${prefix}/x `, `https://a.example/${start}1`]);
      expect(read.body).not.toHaveProperty('repairs');
    }
    expect((await service.client.get(pathOf('x'))).body).toMatchObject({ target: null, version: 1 });
    expect((await service.client.get(`${pathOf('x ')}/history`)).body.items).toHaveLength(3);
  });

  it('names the identifier without the space where no other is registered, which `repairs` says', async () => {
    const changed = await patch('y ', 'https://a.example/2');
    expect(changed.body).toMatchObject({ identifier: `${prefix}/y`, repairs: ['WHITESPACE_TRIMMED'] });
    const read = await service.client.get(pathOf('y '));
    expect(read.body).toMatchObject({ identifier: `${prefix}/y`, repairs: ['WHITESPACE_TRIMMED'] });
    const again = await service.client.send(
      'PATCH',
      pathOf('y'),
      { 'content-type': 'application/json', 'if-match': read.headers.get('etag') ?? '' },
      JSON.stringify({ ...read.body, target: 'https://a.example/3' }),
    );
    expect([again.status, again.body.target]).toEqual([200, 'https://a.example/3']);
    expect((await service.client.get(pathOf('z '))).status).toBe(404);
  });

  it('does both in a stream of changes and in its dry run', async () => {
    const lines = ['x ', 'y ', 'x'].map((localName, index) =>
      JSON.stringify({ identifier: `${prefix}/${localName}`, target: `https://a.example/s${index}` }),
    );
    for (const query of ['?dryRun=true', '']) {
      const results = await sendLines(`${service.server.url}/identifiers/changes${query}`, `${lines.join('\n')}\n`);
      expect(results.map(({ identifier, repairs }) => [identifier, repairs])).toEqual([
        [`${prefix}/x `, undefined],
        [`${prefix}/y`, ['WHITESPACE_TRIMMED']],
        [`${prefix}/x`, undefined],
      ]);
    }
    expect((await service.client.get(pathOf('x '))).body.target).toBe('https://a.example/s0');
  });

  it('finds the identifier that has the space in a look-up', async () => {
    const items = [`${prefix}/x `, `${prefix}/y `, `hdl:${prefix}/x `];
    const { body } = await service.client.post('/identifiers/lookup', { items });
    expect(body.items.map(({ identifier }: any) => identifier)).toEqual([
      `${prefix}/x `,
      `${prefix}/y`,
      `${prefix}/x `,
    ]);
  });
});
