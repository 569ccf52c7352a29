import { describe, expect, it } from '@jest/globals';
import { useService } from './harness/service.js';
import { sendLines } from './harness/stream.js';

const service = useService();
const send = (body: string, type = 'application/x-ndjson') =>
  sendLines(`${service.server.url}/identifiers/import`, body, { 'content-type': type });

describe('POST /identifiers/import', () => {
  const whole = {
    ...{ identifier: '100.102/00000000000040008000000000000002', state: 'active', version: 1 },
    ...{ createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-01T00:00:00.000Z' },
  };
  it.each([
    ['no member but the needed ones', {}, 201, undefined],
    [
      'an unknown naming authority',
      { identifier: '99.9/00000000000040008000000000000002' },
      422,
      'UNKNOWN_NAMING_AUTHORITY',
    ],
    ['a local name that is no GUID', { identifier: '100.102/XYZ' }, 400, undefined],
    ['a Fedora PID', { identifier: 'demo:1' }, 422, 'UNKNOWN_NAMING_AUTHORITY'],
    ['a lease of an active one', { leaseUntil: '2126-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a reserved one without lease', { state: 'reserved' }, 400, 'INVALID_REQUEST'],
    ['a withdrawn one without tombstone', { state: 'withdrawn' }, 400, 'INVALID_REQUEST'],
    ['a change before the mint', { updatedAt: '2019-01-01T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['a day that does not exist', { createdAt: '2019-02-31T00:00:00Z' }, 400, 'INVALID_REQUEST'],
    ['version 0', { version: 0 }, 400, 'INVALID_REQUEST'],
    [
      'itself as metadata ID',
      { metadataId: 'hdl:100.102/00000000000040008000000000000002' },
      422,
      'METADATA_ID_IS_IDENTIFIER',
    ],
    [
      'U+0000 in a reason',
      { state: 'withdrawn', tombstone: { withdrawnAt: '2020-01-01T00:00:00Z', reason: 'a\0b' } },
      400,
      'INVALID_REQUEST',
    ],
    [
      'a lone surrogate in a reason',
      { state: 'withdrawn', tombstone: { withdrawnAt: '2020-01-01T00:00:00Z', reason: '\ud800' } },
      400,
      'INVALID_REQUEST',
    ],
    ['an unknown member', { owner: 'me' }, 400, 'INVALID_REQUEST'],
    ['a script as target', { target: 'javascript:alert(1)' }, 400, 'INVALID_REQUEST'],
  ])('answers %s', async (_, change, status, code) => {
    const [result] = await send(`${JSON.stringify({ ...whole, ...change })}\n`);
    expect(result.status).toBe(status);
    if (code !== undefined) expect(result.problem.code).toBe(code);
  });

  it('ends with a line that says what is wrong with a CSV file that is none of an export', async () => {
    for (const csv of [
      'a,b\r\n1,2\r\n',
      'identifier,state\r\n"x',
      'identifier,state\r\nonly one\r\n',
      'state,state\r\n1,2\r\n',
    ]) {
      const [result, ...more] = await send(csv, 'text/csv');
      expect([result.status, result.problem.code, more.length]).toEqual([400, 'INVALID_REQUEST', 0]);
    }
    expect((await send('{}', 'application/json').catch(() => [{}]))[0]).not.toHaveProperty('outcome');
  });

  it('names the line of the file where a row of a CSV ends', async () => {
    const csv =
      'identifier,state,version,createdAt,updatedAt\r\n100.102/bad,active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z\r\n\r\n100.102/bad,active,1,2020-01-01T00:00:00Z,2020-01-01T00:00:00Z\r\n';
    expect((await send(csv, 'text/csv')).map(({ line }) => line)).toEqual([2, 4]);
  });
});
