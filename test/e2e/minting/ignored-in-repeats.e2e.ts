import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { curationOf, pathOf } from '../harness/curation.js';
import { freshMetadataId, freshPid } from '../harness/fresh-names.js';
import { NEXT_YEAR } from '../harness/reservations.js';
import { useSharedService } from '../harness/service.js';
import { sendLines } from '../harness/stream.js';

const service = useSharedService();
const { patch, step } = curationOf(service);

const [FIRST, SECOND] = ['https://repo.example.org/first', 'https://repo.example.org/second'];
const keyed = () => ({ 'idempotency-key': randomUUID() });

/** Sends one mint twice under one key, and changes its identifier in between. @returns the result of the repeat. */
async function repeated(send: (headers: Record<string, string>) => Promise<any>, body: object = { target: SECOND }) {
  const headers = keyed();
  const { identifier } = await send(headers);
  expect((await patch(pathOf(identifier), body)).status).toBe(200);
  const again = await send(headers);
  expect(again.identifier).toBe(identifier);
  return again;
}

const single =
  (fields: object) =>
  async (headers: Record<string, string>): Promise<any> =>
    (await service.client.mint(fields, headers)).body;
const batch =
  (fields: object, prefer = '') =>
  async (headers: Record<string, string>): Promise<any> => {
    const request = { namingAuthority: service.na, items: [fields] };
    return (await service.client.post('/identifiers/batch', request, { ...headers, prefer })).body.items[0];
  };
const stream =
  (fields: object, prefer = '') =>
  async (headers: Record<string, string>): Promise<any> => {
    const url = `${service.server.url}/identifiers/bulk?namingAuthority=${service.na}`;
    return (await sendLines(url, `${JSON.stringify(fields)}\n`, { ...headers, prefer }))[0];
  };

describe('a repeat by Idempotency-Key names in `ignored` each member that has changed since', () => {
  const SENT = { target: FIRST, language: 'de' };

  it.each([
    ['a mint', single(SENT)],
    ['an item', batch(SENT)],
    ['a minimal item', batch(SENT, 'return=minimal')],
    ['a line', stream(SENT)],
    ['a minimal line', stream(SENT, 'return=minimal')],
  ])('%s', async (_, send) => {
    expect((await repeated(send)).ignored).toEqual(['target']);
  });

  it('a mint that updated an identifier', async () => {
    const metadataId = freshMetadataId();
    await service.client.mint({ metadataId });
    const send = single({ metadataId, target: FIRST, onExisting: 'update' });
    expect((await repeated(send)).ignored).toEqual(['target']);
  });

  it('no member where only others were changed, or those that were sent have their values again', async () => {
    expect('ignored' in (await repeated(single({ target: FIRST }), { language: 'de' }))).toBe(false);
    const metadataId = freshMetadataId();
    await service.client.mint({ metadataId, target: FIRST });
    const send = single({ metadataId, target: SECOND, onExisting: 'return' });
    expect('ignored' in (await repeated(send, { target: SECOND }))).toBe(false);
  });

  it('the alternates', async () => {
    const sent = { alternateIds: [freshPid()], target: FIRST };
    expect((await repeated(single(sent), { alternateIds: [freshPid()] })).ignored).toEqual(['alternateIds']);
  });

  it('the state and the lease of a reservation that has ended', async () => {
    const [headers, send] = [keyed(), single({ state: 'reserved', leaseUntil: NEXT_YEAR })];
    const { identifier } = await send(headers);
    expect('ignored' in (await send(headers))).toBe(false);
    expect((await step(pathOf(identifier), 'withdraw', { reason: 'Not needed.' })).status).toBe(200);
    expect((await send(headers)).ignored).toEqual(['state', 'leaseUntil']);
  });
});
