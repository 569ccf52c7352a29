import { describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

// Well-formed values that the database cannot store or compare.
const service = useSharedService();
const { na } = service;

/** Well formed, but in UTC in the year 10000. */
const TOO_LATE = '9999-12-31T23:59:59-23:59';
const opaque = (text: string) => Buffer.from(text).toString('base64url');

describe('a time past the year 9999', () => {
  it.each<[string, string, object, string]>([
    ['a lease', '/identifiers', { state: 'reserved', leaseUntil: TOO_LATE }, '/leaseUntil'],
    ['the lease of a reservation', '/reservations', { count: 1, leaseUntil: TOO_LATE }, '/leaseUntil'],
  ])('is rejected as %s', async (_, path, fields, pointer) => {
    const answer = await service.client.post(path, { namingAuthority: na, ...fields });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([400, 'INVALID_REQUEST', pointer]);
  });

  it('is rejected as the end of a key', async () => {
    const answer = await service.client.post('/api-keys', {
      client: 'a',
      namingAuthorities: null,
      scopes: ['read'],
      expiresAt: TOO_LATE,
    });
    expect([answer.status, answer.body.code, answer.body.errors[0].pointer]).toEqual([
      400,
      'INVALID_REQUEST',
      '/expiresAt',
    ]);
  });
});

describe('a cursor that the service did not issue', () => {
  it.each([
    ['of a list, long before the year 1', `/identifiers?cursor=${opaque('-8640000000000000 1')}`],
    ['of a list, long after the year 9999', `/identifiers?cursor=${opaque('8640000000000000 1')}`],
    ['of keys, with no UUID', `/api-keys?cursor=${opaque(`2026-11-20T09:30:00.000Z ${'-'.repeat(36)}`)}`],
    [
      'of keys, in the year 0',
      `/api-keys?cursor=${opaque('0000-01-01T00:00:00.000Z 0c9d4bb1-9a52-4d0a-8f7c-0f6f2e1f5a11')}`,
    ],
  ])('%s, is rejected', async (_, path) => {
    const answer = await service.client.get(path);
    expect([answer.status, answer.body.code]).toEqual([400, 'INVALID_CURSOR']);
  });
});

describe('POST /identifiers/import', () => {
  const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
  const TIME = '2026-01-01T00:00:00.000Z';
  const send = (line: object) =>
    sendLines(
      `${service.server.url}/identifiers/import`,
      `${JSON.stringify({ version: 1, createdAt: TIME, updatedAt: TIME, ...line })}\n`,
      { 'content-type': 'application/x-ndjson' },
    );
  const replaced = (identifier: string, replacedBy: string) => ({
    identifier,
    state: 'withdrawn',
    tombstone: { withdrawnAt: TIME, reason: 'Moved.', replacedBy },
  });

  it('rejects times that cannot be stored', async () => {
    const [result] = await send({
      identifier: `${na}/${GUID}`,
      state: 'active',
      createdAt: TOO_LATE,
      updatedAt: TOO_LATE,
    });
    expect([result.status, result.problem.code]).toEqual([400, 'INVALID_REQUEST']);
  });

  it.each([
    ['nonsense', 'NOT_RECOGNIZED'],
    ['info:fedora/demo:1\r\nx-forged: 1', 'INVALID_CHARACTER'],
    ['urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5', 'MISSING_SEPARATOR'],
    ['100..102/x', 'INVALID_NAMING_AUTHORITY'],
  ])('rejects %j for a replacement, to which no link could lead', async (replacedBy, code) => {
    const [result] = await send(replaced(`${na}/${GUID}`, replacedBy));
    expect([result.status, result.problem.code]).toEqual([400, code]);
  });

  it.each([
    [
      'as it is exported',
      'hdl:20.500/report%207%20',
      'hdl:20.500/report%207%20',
      '/identifiers/hdl%3A20.500%2Freport%25207%2520',
    ],
    ['with a prefix that looks like a scheme', 'hdl:a%3Ab/c', 'hdl:a%3Ab/c', '/identifiers/hdl%3Aa%253Ab%2Fc'],
    ['as a URI', `HDL:2000.01/${GUID.toLowerCase()}`, `hdl:2000.01/${GUID}`, `/identifiers/2000.01/${GUID}`],
    ['of Fedora', 'info:fedora/demo%3A8', 'info:fedora/demo:8', 'info:fedora/demo:8'],
  ])('stores a replacement %s, with a link to it', async (_, replacedBy, stored, link) => {
    const identifier = (await service.client.mint()).body.identifier.replace(/.{12}$/, '000000000000');
    expect((await send(replaced(identifier, replacedBy)))[0].outcome).toBe('imported');
    const answer = await service.client.get(`/identifiers/${identifier}`);
    expect([answer.status, answer.body.tombstone.replacedBy]).toEqual([410, stored]);
    expect(answer.headers.get('link')).toBe(`<${link}>; rel="http://purl.org/dc/terms/isReplacedBy"`);
  });

  it('rejects the largest version, after which there is none', async () => {
    const identifier = `${na}/A${GUID.slice(1)}`;
    const [rejected] = await send({ identifier, state: 'active', version: 2 ** 31 - 1 });
    expect([rejected.status, rejected.problem.errors[0].pointer]).toEqual([400, '/version']);
    expect((await send({ identifier, state: 'active', version: 1_000_000_000 }))[0].outcome).toBe('imported');
    const answer = await service.client.send(
      'PATCH',
      `/identifiers/${identifier}`,
      { 'content-type': 'application/json', 'if-match': '*' },
      '{"target":"https://repo.example.org/8"}',
    );
    expect([answer.status, answer.body.version]).toEqual([200, 1_000_000_001]);
  });
});
