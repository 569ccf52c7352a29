import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { Answer } from '../harness/client.js';
import { authoritiesOf } from '../harness/naming-authorities.js';
import { useService } from '../harness/service.js';

const service = useService();
const { create, patch, show, created } = authoritiesOf(service);

describe('PATCH /naming-authorities/{na}', () => {
  it('changes the named members, keeps the others, and removes by null', async () => {
    const resolver = { scheme: 'https', authority: 'a.example', firstSegment: null };
    const prefix = await created({ targetTemplate: 'https://a.example/{guid}', resolver });
    const first = await patch(prefix, { uuidVersion: 7, resolver: null }, { 'if-match': '"1"' });
    expect(first.status).toBe(200);
    const targetTemplate = 'https://a.example/{guid}';
    expect(first.body).toMatchObject({ uuidVersion: 7, resolver: null, targetTemplate, state: 'active', version: 2 });
    const second = await patch(prefix, { targetTemplate: null }, { 'if-match': first.headers.get('etag') ?? '' });
    expect(second.body).toMatchObject({ uuidVersion: 7, targetTemplate: null, version: 3 });
    expect((await show(prefix)).body).toEqual(second.body);
    expect((await show(prefix)).headers.get('etag')).toBe(second.headers.get('etag'));
  });

  it('needs If-Match: 428 without, 412 for an older version or a weak tag, 400 for no tag at all', async () => {
    const prefix = await created();
    const outcome = ({ status, body }: Answer) => [status, body.code];
    expect(outcome(await patch(prefix, {}, {}))).toEqual([428, 'PRECONDITION_REQUIRED']);
    expect(outcome(await patch(prefix, {}, { 'if-match': '1' }))).toEqual([400, 'INVALID_PRECONDITION']);
    expect(outcome(await patch(prefix, {}, { 'if-match': 'W/"1"' }))).toEqual([412, 'PRECONDITION_FAILED']);
    expect((await patch(prefix, { uuidVersion: 7 }, { 'if-match': '"0", "1"' })).status).toBe(200);
    const stale = await patch(prefix, { state: 'suspended' }, { 'if-match': '"1"' });
    expect(outcome(stale)).toEqual([412, 'PRECONDITION_FAILED']);
    expect(stale.headers.get('etag')).toBeNull();
    expect((await show(prefix)).body.state).toBe('active');
  });

  it('is possible with an entity tag from before other changes of the counts and the children', async () => {
    const prefix = await created();
    const { headers } = await show(prefix);
    await service.client.mint({ namingAuthority: prefix });
    await create({ namingAuthority: `${prefix}.1` });
    expect((await patch(prefix, { uuidVersion: 1 }, { 'if-match': headers.get('etag')! })).body.version).toBe(2);
    const stale = await patch(prefix, { uuidVersion: 4 }, { 'if-match': headers.get('etag')! });
    expect([stale.status, stale.body.code]).toEqual([412, 'PRECONDITION_FAILED']);
  });

  it('is not possible if If-None-Match has the current entity tag, and is with one from before a mint', async () => {
    const prefix = await created();
    const before = (await show(prefix)).headers.get('etag')!;
    await service.client.mint({ namingAuthority: prefix });
    const now = (await show(prefix)).headers.get('etag')!;
    const changed = (tag: string) => patch(prefix, { uuidVersion: 7 }, { 'if-match': '*', 'if-none-match': tag });
    for (const tag of [now, `W/${now}`, `${before}, ${now}`, '*']) {
      const { status, body } = await changed(tag);
      expect([status, body.code, body.errors[0].header]).toEqual([412, 'PRECONDITION_FAILED', 'If-None-Match']);
    }
    expect((await changed(before)).body.version).toBe(2);
  });

  it('accepts one of twenty changes of one version', async () => {
    const prefix = await created();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        patch(prefix, { targetTemplate: `https://a.example/${i}/{guid}` }, { 'if-match': '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)]);
    expect((await show(prefix)).body.version).toBe(2);
  });

  it('creates no version without a difference', async () => {
    const prefix = await created();
    const answer = await patch(prefix, { state: 'active', targetTemplate: null });
    expect([answer.status, answer.body.version]).toEqual([200, 1]);
  });

  it('finds the prefix in any case, and takes effect once with an Idempotency-Key', async () => {
    await create({ namingAuthority: 'Patch', profile: 'handle' });
    const headers = { 'if-match': '"1"', 'idempotency-key': 'patch-once' };
    const first = await patch('pATCH', { state: 'suspended' }, headers);
    expect([first.status, first.body.namingAuthority, first.body.version]).toEqual([200, 'Patch', 2]);
    const again = await patch('patch', { state: 'suspended' }, headers);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect([again.headers.get('idempotency-replayed'), again.headers.get('etag')]).toEqual([
      'true',
      first.headers.get('etag'),
    ]);
    const other = await patch('patch', { state: 'suspended' }, { ...headers, 'if-match': '"2"' });
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('rejects to change the read-only prefix', async () => {
    const prefix = await created();
    const answer = await patch(prefix, { namingAuthority: '1' });
    expect([answer.status, answer.body.code]).toEqual([422, 'READ_ONLY_MEMBER']);
    expect(answer.body.errors[0].pointer).toBe('/namingAuthority');
    expect((await show(prefix)).body.version).toBe(1);
  });

  it.each([
    ['status', { status: null }],
    ['targetTemplate', { targetTemplate: 'https://a.example/' }],
    ['resolver', { resolver: { scheme: 'http', authority: '/' } }],
  ])('rejects to change %s so', async (member, fields) => {
    const prefix = await created();
    const answer = await patch(prefix, fields);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_REQUEST']);
    expect(answer.body.errors[0].pointer).toBe(`/${member}`);
  });

  it('remembers who created and changed it', async () => {
    const prefix = await created();
    await patch(prefix, { state: 'suspended' });
    const client = new pg.Client({ connectionString: service.database.url });
    await client.connect();
    const { rows } = await client.query(
      `SELECT version, kind, client, patch FROM change
       WHERE naming_authority_id = (SELECT id FROM naming_authority WHERE prefix = $1) ORDER BY version`,
      [prefix],
    );
    await client.end();
    expect(rows).toMatchObject([
      { version: 1, kind: 'created', client: 'anonymous' },
      { version: 2, kind: 'changed', client: 'anonymous' },
    ]);
    expect(JSON.parse(rows[1].patch)).toEqual([{ op: 'replace', path: '/state', value: 'suspended' }]);
  });

  it('returns 404 for an unknown prefix, and 400 for a malformed one', async () => {
    const unknown = await patch('987654321', {});
    expect([unknown.status, unknown.body.code]).toEqual([404, 'NAMING_AUTHORITY_NOT_FOUND']);
    expect((await show('987654321')).body.code).toBe('NAMING_AUTHORITY_NOT_FOUND');
    expect((await show('1..2')).body.code).toBe('INVALID_NAMING_AUTHORITY');
    expect((await show('a/b')).body.code).toBe('INVALID_NAMING_AUTHORITY');
  });
});
