import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Answer } from '../harness/client.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { runToEnd } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService();
const { create, created, patch } = authoritiesOf(service);

/** The ways to store a name of a naming authority that does not exist. */
const WAYS: [string, (name: string) => Promise<Answer>][] = [
  ['a metadata ID', (metadataId) => service.client.mint({ metadataId })],
  ['an alternate identifier', (name) => service.client.mint({ alternateIds: [name] })],
  ['a previous version', (previousVersion) => service.client.mint({ previousVersion })],
];

const REJECTION = {
  code: 'READ_ONLY_MEMBER',
  errors: [{ pointer: '/profile', detail: expect.stringMatching(/^must be "handle": .* that are not GUIDs/) }],
};

const ADMIN_KEY = randomBytes(32).toString('hex');

describe('a naming authority under whose prefix names were stored that are not GUIDs', () => {
  it.each(WAYS)('is not created with the profile "cordra", and does not get it: %s', async (_, store) => {
    const prefix = freshPrefix();
    const { body } = await store(`hdl:${prefix}/REPORT-1`);
    const rejected = await create({ namingAuthority: prefix });
    expect([rejected.status, rejected.body]).toMatchObject([422, REJECTION]);
    expect((await create({ namingAuthority: prefix, profile: 'handle' })).status).toBe(201);
    const changed = await patch(prefix, { profile: 'cordra' });
    expect([changed.status, changed.body]).toMatchObject([422, REJECTION]);
    const repeated = await service.client.send(
      'PATCH',
      `/identifiers/${body.identifier}`,
      { 'content-type': 'application/json', 'if-match': '*' },
      JSON.stringify({
        metadataId: body.metadataId,
        alternateIds: body.alternateIds,
        previousVersion: body.previousVersion,
      }),
    );
    expect(repeated.status).toBe(200);
  });

  it.each(WAYS.slice(0, 2))(
    'does not get the profile "cordra" if they were stored after its creation: %s',
    async (_, store) => {
      const prefix = await created({ profile: 'handle' });
      expect((await store(`hdl:${prefix}/REPORT-1`)).status).toBe(201);
      const changed = await patch(prefix, { profile: 'cordra' });
      expect([changed.status, changed.body.code]).toEqual([422, 'READ_ONLY_MEMBER']);
      expect((await patch(prefix, { uuidVersion: 7 })).status).toBe(200);
    },
  );

  it('is not created at the start, which says why', async () => {
    const prefix = freshPrefix();
    expect((await service.client.mint({ metadataId: `hdl:${prefix}/1` })).status).toBe(201);
    const variables = { DATABASE_URL: service.database.url, ACCESS: 'open', NAMING_AUTHORITIES: prefix };
    const { code, stderr } = await runToEnd(variables);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining(`NAMING_AUTHORITIES: profile of the naming authority "${prefix}" must be "handle"`),
    ]);
    expect(stderr).not.toContain('    at ');
  });
});

describe('a naming authority under whose prefix only GUIDs were stored', () => {
  it.each(WAYS)('is created with the profile "cordra", and the names can be repeated: %s', async (_, store) => {
    const prefix = freshPrefix();
    const names = [randomUUID(), randomUUID().replaceAll('-', '')].map((guid) => `${prefix}/${guid}`);
    for (const name of names) expect((await store(name)).status).toBe(201);
    expect((await create({ namingAuthority: prefix })).status).toBe(201);
    for (const name of names) expect((await store(name)).text).not.toContain('INVALID_GUID');
  });
});

describe('a naming authority of the profile "cordra" that is hidden from a client', () => {
  const keyed = useService({
    ACCESS: 'keys',
    ADMIN_API_KEY: ADMIN_KEY,
    PUBLIC_READ: 'false',
    NAMING_AUTHORITIES: '7,8',
  });
  const admin = { authorization: `Bearer ${ADMIN_KEY}` };

  it('is not revealed by a name that is not a GUID', async () => {
    const request = { client: 'stranger', scopes: ['read', 'mint'], namingAuthorities: [{ namingAuthority: '7' }] };
    const stranger = { authorization: `Bearer ${(await keyed.client.post('/api-keys', request, admin)).body.secret}` };
    for (const prefix of ['8', '9']) {
      const fields = { namingAuthority: '7', metadataId: `hdl:${prefix}/Report` };
      expect([prefix, (await keyed.client.post('/identifiers', fields, stranger)).status]).toEqual([prefix, 201]);
    }
  });
});
