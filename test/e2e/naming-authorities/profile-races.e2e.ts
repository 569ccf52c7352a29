import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Answer, Client } from '../harness/client.js';
import { authoritiesOf, freshPrefix } from '../harness/naming-authorities.js';
import { type TestServer, startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

// Two processes on one database: one changes the profile of a naming authority, and the other claims a name under it.
const service = useService();
const { create, patch } = authoritiesOf(service);
let otherServer: TestServer;
let other: Client;

beforeAll(async () => {
  otherServer = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
  other = new Client(otherServer.url);
});
afterAll(() => otherServer.stop());

const NA = '100.102';
const freshGuid = () => randomUUID().replaceAll('-', '').toUpperCase();
const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };

const lines = (path: string, line: object) =>
  other.send('POST', path, { 'content-type': 'application/x-ndjson' }, `${JSON.stringify(line)}\n`);

/** The ways to claim a name. An answer has the problem of the only item or line. */
const WAYS: [string, (alternateIds: readonly string[]) => Promise<Answer>][] = [
  ['a mint', (alternateIds) => other.mint({ alternateIds })],
  [
    'a batch',
    (alternateIds) => other.post('/identifiers/batch', { namingAuthority: NA, items: [{ alternateIds }, {}] }),
  ],
  [
    'a change',
    async (alternateIds) => {
      const { identifier } = (await other.mint()).body;
      const headers = { 'content-type': 'application/merge-patch+json', 'if-match': '*' };
      return other.send('PATCH', `/identifiers/${identifier}`, headers, JSON.stringify({ alternateIds }));
    },
  ],
  [
    'a stream of changes',
    async (alternateIds) => {
      const { identifier } = (await other.mint()).body;
      return lines('/identifiers/changes', { identifier, alternateIds });
    },
  ],
  [
    'an import',
    (alternateIds) =>
      lines('/identifiers/import', {
        ...{ identifier: `${NA}/${freshGuid()}`, state: 'active', version: 1, alternateIds },
        ...times,
      }),
  ],
];

/** The cache of the other process is read again, so that it is fresh for nearly a second. */
const refreshOther = async () => {
  await pause(1000);
  await other.get(`/identifiers/${NA}/F58FB49EB1F848F0A606E84CEF294BE5`);
};

describe.each([
  ['cordra', 'handle'],
  ['handle', 'cordra'],
])('a name that another process claims while its cache has the profile "%s" and not "%s"', (before, after) => {
  it.each(WAYS)('cannot be registered: %s', async (_, claim) => {
    const namingAuthority = freshPrefix();
    const guid = freshGuid();
    expect((await create({ namingAuthority, profile: before })).status).toBe(201);
    await refreshOther();
    expect((await patch(namingAuthority, { profile: after })).status).toBe(200);
    const name = `hdl:${namingAuthority}/${guid}`;
    // The request takes effect by the new profile, or it fails and can be repeated.
    if ((await claim([name])).text.includes('"CONFLICT_IN_PROGRESS"')) {
      await refreshOther();
      expect((await claim([name])).text).not.toContain('"code"');
    }
    const own = after === 'handle' ? { localName: guid } : { guid };
    const { status, body } = await service.client.post('/identifiers', { namingAuthority, ...own });
    expect([status, body.code]).toEqual([409, 'ALTERNATE_ID_TAKEN']);
  });
});
