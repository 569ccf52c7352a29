import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Answer } from '../harness/client.js';
import { useService } from '../harness/service.js';
import { NEXT_YEAR } from '../harness/reservations.js';

const ADMIN_KEY = 'correct-horse-battery-staple-correct-horse';
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` };

// Reading needs a key too, so that data outside the grants of a key is hidden.
const service = useService({ ACCESS: 'keys', ADMIN_API_KEY: ADMIN_KEY, PUBLIC_READ: 'false' });

type Headers = Record<string, string>;
const principals: Record<string, Headers> = {};

async function keyOf(scopes: string[], namingAuthorities: object[]): Promise<Headers> {
  const { status, body } = await service.client.post('/api-keys', { client: 'a', scopes, namingAuthorities }, ADMIN);
  expect(status).toBe(201);
  return { authorization: `Bearer ${body.secret}` };
}

beforeAll(async () => {
  const [own, others] = [[{ namingAuthority: '100.102' }], [{ namingAuthority: '2000.01' }]];
  principals.reader = await keyOf(['read'], own);
  principals.minter = await keyOf(['read', 'mint'], own);
  principals.curator = await keyOf(['read', 'curate'], own);
  principals.stranger = await keyOf(['read', 'mint', 'curate'], others);
});

const coded = ({ status, body }: Answer) => [status, body?.code];

const patch = (path: string, headers: Headers) =>
  service.client.send('PATCH', path, { 'content-type': 'application/json', 'if-match': '*', ...headers }, '{}');

async function held(): Promise<string> {
  const { body } = await service.client.mint({ state: 'reserved', leaseUntil: NEXT_YEAR }, ADMIN);
  return `/identifiers/${body.identifier}`;
}

const reserve = (headers: Headers) =>
  service.client.post('/reservations', { namingAuthority: '100.102', count: 1, leaseUntil: NEXT_YEAR }, headers);

describe('the permission to change identifiers', () => {
  const [done, rejected, hidden] = [
    [200, undefined],
    [403, 'SCOPE_MISSING'],
    [404, 'IDENTIFIER_NOT_FOUND'],
  ];

  it.each([
    ['reader', rejected, rejected, rejected, rejected],
    ['minter', rejected, done, rejected, rejected],
    ['curator', done, done, done, done],
    ['stranger', hidden, hidden, hidden, hidden],
  ] as const)('%s: change, activate, withdraw, reinstate', async (name, change, activate, withdraw, reinstate) => {
    const headers = principals[name]!;
    const path = await held();
    expect(coded(await patch(path, headers))).toEqual(change);
    expect(coded(await service.client.post(`${path}/activate`, {}, headers))).toEqual(activate);
    expect(coded(await service.client.post(`${path}/withdraw`, { reason: 'x' }, headers))).toEqual(withdraw);
    expect(coded(await service.client.post(`${path}/reinstate`, {}, headers))).toEqual(reinstate);
  });

  it('covers the metadata record that was minted with the object, which is under the same naming authority', async () => {
    const fields = { state: 'reserved', leaseUntil: NEXT_YEAR, mintMetadataId: true };
    const pair = async () => {
      const { body } = await service.client.mint(fields, ADMIN);
      return [`/identifiers/${body.identifier}`, `/identifiers/${body.metadataRecord.identifier}`] as const;
    };
    const [[one, itsRecord], [other, otherRecord]] = [await pair(), await pair()];
    const stateOf = async (path: string) => (await service.client.get(path, ADMIN)).body.state;
    expect(coded(await service.client.post(`${one}/activate`, {}, principals.stranger))).toEqual(hidden);
    expect(await stateOf(itsRecord)).toBe('reserved');
    expect(coded(await service.client.post(`${one}/activate`, {}, principals.minter))).toEqual(done);
    expect(await stateOf(itsRecord)).toBe('active');
    expect(coded(await service.client.post(`${other}/withdraw`, { reason: 'x' }, principals.curator))).toEqual(done);
    expect((await service.client.get(otherRecord, ADMIN)).status).toBe(410);
  });

  it('no request without a key', async () => {
    const path = await held();
    expect(coded(await patch(path, {}))).toEqual([401, 'UNAUTHENTICATED']);
    expect(coded(await reserve({}))).toEqual([401, 'UNAUTHENTICATED']);
  });

  it('the entity tag covers the visible attributes, not the hidden ones', async () => {
    const { body } = await service.client.mint({}, ADMIN);
    await service.client.mint({ namingAuthority: '2000.01', metadataId: body.identifier }, ADMIN);
    const path = `/identifiers/${body.identifier}`;
    const seen = await service.client.get(path, principals.curator);
    expect(seen.body.describes).toEqual([]);
    const changed = await patch(path, { ...principals.curator, 'if-match': seen.headers.get('etag')! });
    expect([changed.status, changed.body.describes]).toEqual([200, []]);
    const all = await service.client.get(path, ADMIN);
    expect(all.body.describes).toHaveLength(1);
    expect(all.headers.get('etag')).not.toBe(changed.headers.get('etag'));
    // A change compares the version and its time, which are the same for all.
    const again = await patch(path, { ...principals.curator, 'if-match': all.headers.get('etag')! });
    expect([again.status, again.body.describes]).toEqual([200, []]);
  });

  it('a replacement that is hidden from the caller is not found, whether or not it exists', async () => {
    const { body } = await service.client.mint({ namingAuthority: '2000.01' }, ADMIN);
    const path = await held();
    const details = [];
    for (const replacedBy of [body.identifier, `2000.01/${'0'.repeat(32)}`]) {
      const answer = await service.client.post(`${path}/withdraw`, { reason: 'x', replacedBy }, principals.curator);
      expect(coded(answer)).toEqual([422, 'REPLACEMENT_NOT_FOUND']);
      details.push(answer.body.detail.replace(replacedBy, ''));
    }
    expect(new Set(details).size).toBe(1);
  });
});

describe('the permission to reserve and to settle reservations', () => {
  it('the scope mint permits reservations; mint or curate permit their settlement', async () => {
    const made = await Promise.all([reserve(principals.minter!), reserve(principals.minter!)]);
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    for (const name of ['reader', 'curator']) {
      expect(coded(await reserve(principals[name]!))).toEqual([403, 'SCOPE_MISSING']);
    }
    expect(coded(await reserve(principals.stranger!))).toEqual([403, 'NAMING_AUTHORITY_FORBIDDEN']);
    const [one, two] = made.map(({ body }) => `/reservations/${body.id}`);
    expect(coded(await service.client.post(`${one}/activate`, {}, principals.reader))).toEqual([403, 'SCOPE_MISSING']);
    expect((await service.client.post(`${one}/activate`, {}, principals.minter)).body.activated).toBe(1);
    expect((await service.client.post(`${two}/release`, {}, principals.curator)).body.released).toBe(1);
  });

  it('a reservation is hidden together with its naming authority', async () => {
    const { headers } = await reserve(principals.minter!);
    const path = headers.get('location')!;
    expect((await service.client.get(path, principals.reader)).status).toBe(200);
    for (const answer of [
      await service.client.get(path, principals.stranger),
      await service.client.post(`${path}/activate`, {}, principals.stranger),
      await service.client.post(`${path}/release`, {}, principals.stranger),
    ]) {
      expect(coded(answer)).toEqual([404, 'RESERVATION_NOT_FOUND']);
    }
  });
});
