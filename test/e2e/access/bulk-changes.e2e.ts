import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { mintMany, ndjson, sendChanges } from '../harness/changes.js';
import { type Answer, Client } from '../harness/client.js';
import { freshGuid } from '../harness/fresh-names.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { PATIENT } from '../harness/stalls.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
type Headers = Record<string, string>;
const bearer = (key: string): Headers => ({ authorization: `Bearer ${key}` });
const ADMIN = bearer(ADMIN_KEY);
const target = 'https://repo.example.org/new';
const bare = ({ line, status, outcome, problem }: any) => [line, status, outcome, problem?.code];

describe('a key', () => {
  const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false' });
  const mint = async (namingAuthority: string, fields: object = {}) =>
    (await service.client.mint({ namingAuthority, ...fields }, ADMIN)).body.identifier as string;
  const keyFor = async (scopes: string[], ...prefixes: string[]): Promise<Headers> => {
    const namingAuthorities = prefixes.map((namingAuthority) => ({ namingAuthority, derived: false }));
    const { status, body } = await service.client.post('/api-keys', { client: 'c', scopes, namingAuthorities }, ADMIN);
    expect(status).toBe(201);
    return bearer(body.secret as string);
  };
  const send = async (lines: object[], headers: Headers, query = '') =>
    (await sendChanges(service.client, ndjson(...lines), { query, headers })).lines;
  let open: { own: string; other: string };
  beforeAll(async () => {
    open = { own: await mint('100.102'), other: await mint('2000.01') };
  });

  it('without the scope gets 403 before the first line', async () => {
    const { status, lines } = await sendChanges(service.client, '', { headers: await keyFor(['mint'], '100.102') });
    expect([status, lines[0].code]).toEqual([403, 'SCOPE_MISSING']);
  });

  it('cannot distinguish a hidden identifier from a missing one, and changes what it covers', async () => {
    const key = await keyFor(['curate'], '100.102');
    const lines = [open.own, open.other, `2000.01/${freshGuid()}`, `3000.01/${freshGuid()}`].map((identifier) => ({
      ...{ identifier, target: `${target}?${randomUUID()}` },
    }));
    for (const query of ['?dryRun=true', '']) {
      expect((await send(lines, key, query)).map(bare)).toEqual([
        [1, 200, 'changed', undefined],
        ...[2, 3, 4].map((line) => [line, 404, undefined, 'IDENTIFIER_NOT_FOUND']),
      ]);
    }
  });

  it('that covers more gets the stored rejections of another key of the same client', async () => {
    const [narrow, wide] = [await keyFor(['curate'], '100.102'), await keyFor(['curate'], '100.102', '2000.01')];
    const key = { 'idempotency-key': randomUUID() };
    const lines = [{ identifier: `2000.01/${freshGuid()}`, target }];
    const first = await send(lines, { ...narrow, ...key });
    expect((await send(lines, { ...wide, ...key })).map(bare)).toEqual(first.map(bare));
  });

  it.each([
    ['an invalid target', () => ({ identifier: open.own, target: 'bad' })],
    ['an identifier that is not registered', () => ({ identifier: `100.102/${freshGuid()}`, target })],
  ])('gets 422 for a line that has %s under a used Idempotency-Key', async (_, other) => {
    const headers = { ...(await keyFor(['curate'], '100.102')), 'idempotency-key': randomUUID() };
    await send([{ identifier: open.own, target: `${target}/3` }], headers);
    expect((await send([other()], headers)).map(bare)).toEqual([[1, 422, undefined, 'IDEMPOTENCY_KEY_REUSED']]);
  });

  it('does not get stored outcomes of a key of the same client that covers more', async () => {
    const [wide, narrow] = [await keyFor(['curate'], '100.102', '2000.01'), await keyFor(['curate'], '100.102')];
    const lines = [open.own, open.other].map((identifier) => ({ identifier, target: `${target}/2` }));
    const key = { 'idempotency-key': randomUUID() };
    expect((await send(lines, { ...wide, ...key })).map(({ outcome }) => outcome)).toEqual(['changed', 'changed']);
    expect((await send(lines, { ...narrow, ...key })).map(bare)).toEqual([
      [1, 200, 'changed', undefined],
      [2, 404, undefined, 'IDENTIFIER_NOT_FOUND'],
    ]);
  });

  it('sees in records what it may see only', async () => {
    const described = await mint('100.102');
    await mint('2000.01', { metadataId: described });
    const line = { identifier: described, target };
    const [narrow] = await send([line], await keyFor(['curate'], '100.102'));
    const [wide] = await send([line], ADMIN);
    expect([narrow.record.describes, wide.record.describes.length]).toEqual([[], 1]);
  });
});

describe('where reading is public', () => {
  const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY });
  it('a line outside the grants is forbidden, and the others are changed', async () => {
    const namingAuthorities = [{ namingAuthority: '100.102', derived: false }];
    const { body } = await service.client.post(
      '/api-keys',
      { client: 'c', scopes: ['curate'], namingAuthorities },
      ADMIN,
    );
    const [own, other] = await Promise.all(
      ['100.102', '2000.01'].map(
        async (namingAuthority) => (await service.client.mint({ namingAuthority }, ADMIN)).body.identifier,
      ),
    );
    const lines = ndjson({ identifier: other, target }, { identifier: own, target });
    const headers = bearer(body.secret as string);
    const dry = await sendChanges(service.client, lines, { headers, query: '?dryRun=true' });
    expect(dry.lines.map(bare)).toEqual([
      [1, 403, undefined, 'NAMING_AUTHORITY_FORBIDDEN'],
      [2, 200, 'changed', undefined],
    ]);
    const done = await sendChanges(service.client, lines, { headers });
    expect(done.lines.map(bare)).toEqual([
      [1, 403, undefined, 'NAMING_AUTHORITY_FORBIDDEN'],
      [2, 200, 'changed', undefined],
    ]);
  });
});

describe('streams at the same time', () => {
  const service = useService(PATIENT);
  // Three chunks.
  const COUNT = 300;

  it('with one key in two processes change each identifier once', async () => {
    const other = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open', ...PATIENT });
    try {
      const ids = await mintMany(
        service.client,
        Array.from({ length: COUNT }, () => ({})),
      );
      const body = ndjson(...ids.map((identifier) => ({ identifier, target })));
      const headers = { 'idempotency-key': randomUUID(), prefer: 'return=minimal' };
      const clients = [service.client, new Client(other.url), service.client];
      const results = await Promise.all(clients.map((client) => sendChanges(client, body, { headers })));
      for (const { lines } of results) {
        expect(lines).toEqual(
          ids.map((identifier, index) => ({
            ...{ line: index + 1, clientRef: null, status: 200, outcome: 'changed', identifier, version: 2 },
            old: { target: null },
          })),
        );
      }
    } finally {
      await other.stop();
    }
  });

  it('over the same identifiers in opposite orders, with mints of the same names, all end and lose nothing', async () => {
    const ids = await mintMany(
      service.client,
      Array.from({ length: COUNT }, () => ({})),
    );
    const names = ids.map((_, index) => `info:fedora/demo:${index}`);
    const line = (identifier: string, index: number) => ({ identifier, metadataId: names[index] });
    const forth = ndjson(...ids.map(line));
    const back = ndjson(...ids.map(line).reverse());
    const headers = { prefer: 'return=minimal' };
    const mintNames = async (): Promise<Answer[]> => {
      const answers: Answer[] = [];
      while (answers.length < COUNT) {
        const some = names.slice(answers.length, answers.length + 20);
        answers.push(...(await Promise.all(some.map((metadataId) => service.client.mint({ metadataId })))));
      }
      return answers;
    };
    const [one, two, mints] = await Promise.all([
      sendChanges(service.client, forth, { headers }),
      sendChanges(service.client, back, { headers }),
      mintNames(),
    ]);
    const minted = new Set(mints.map(({ body }) => body.identifier as string));
    const winners = new Map<number, string[]>();
    const note = (index: number, winner: string) => winners.set(index, [...(winners.get(index) ?? []), winner]);
    for (const [lines, indexOf] of [
      [one.lines, (index: number) => index],
      [two.lines, (index: number) => COUNT - 1 - index],
    ] as const) {
      expect(lines).toHaveLength(COUNT);
      for (const [index, { status, outcome, identifier, problem }] of lines.entries()) {
        expect([200, 409]).toContain(status);
        if (outcome === 'changed') note(indexOf(index), identifier);
        if (status === 409) expect(minted.has(problem.identifier)).toBe(true);
      }
    }
    for (const [index, { status, body }] of mints.entries()) if (status === 201) note(index, body.identifier);
    // Each name was given once: to a mint or to a change.
    expect([...winners.values()].filter(({ length }) => length !== 1)).toEqual([]);
    expect(winners.size).toBe(COUNT);
  });

  it('and single changes wait for each other, so that each version has one change', async () => {
    const [identifier] = await mintMany(service.client, [{}]);
    const body = ndjson(...Array.from({ length: 300 }, (_, index) => ({ identifier, target: `${target}/${index}` })));
    const patchOnce = (index: number) =>
      service.client.send(
        'PATCH',
        `/identifiers/${identifier}`,
        { 'content-type': 'application/json', 'if-match': '*' },
        JSON.stringify({ target: `${target}/single/${index}` }),
      );
    const patch = async (index: number): Promise<Answer> => {
      for (;;) {
        const answer = await patchOnce(index);
        // A chunk can take longer than a single change waits: it is rejected with Retry-After, and nothing was changed.
        if (answer.body.code !== 'CONFLICT_IN_PROGRESS') return answer;
      }
    };
    const [stream, ...singles] = await Promise.all([
      sendChanges(service.client, body, { headers: { prefer: 'return=minimal' } }),
      ...Array.from({ length: 20 }, (_, index) => patch(index)),
    ]);
    expect(singles.map(({ status, body: { code } }) => [status, code])).toEqual(singles.map(() => [200, undefined]));
    const versions = [
      ...stream.lines.map(({ version }) => version as number),
      ...singles.map((answer) => answer.body.version as number),
    ];
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 320 }, (_, index) => index + 2));
  });
});
