import { describe, expect, it } from '@jest/globals';
import { useSharedService } from '../harness/service.js';
import { openStream, sendLines } from '../harness/stream.js';

const service = useSharedService();
const PATH = `/identifiers/bulk?namingAuthority=${service.na}`;
const MINIMAL = { prefer: 'respond-async, return=minimal' };
const ITEMS = [
  { clientRef: 'a' },
  { mintMetadataId: true },
  { metadataId: 'demo:minimal' },
  { metadataId: 'info:fedora/demo:minimal' },
  { clientRef: 'b', metadataId: 'demo:minimal', onExisting: 'reject' },
  { target: 7 },
];
const NATIVE = new RegExp(`^${service.na.replace('.', '\\.')}/[0-9A-F]{32}$`);

/** Compares minimal results of `ITEMS` with the minted identifiers. */
async function expectMinimal(results: any[]): Promise<void> {
  expect(results.map(({ clientRef, status, problem }) => [clientRef, status, problem?.code])).toEqual([
    ['a', 201, undefined],
    [null, 201, undefined],
    [null, 201, undefined],
    [null, 200, undefined],
    ['b', 409, 'METADATA_ID_TAKEN'],
    [null, 400, 'INVALID_REQUEST'],
  ]);
  expect(results.slice(0, 4).map(({ identifier }) => identifier)).toEqual(Array(4).fill(expect.stringMatching(NATIVE)));
  expect(results[3].identifier).toBe(results[2].identifier);
  for (const result of results.slice(4)) expect('identifier' in result).toBe(false);
  const found = await service.client.get(`/identifiers/${results[2].identifier}`);
  expect(found.body.metadataId).toBe('info:fedora/demo:minimal');
}

describe('Prefer: return=minimal (RFC 7240)', () => {
  it('returns line, clientRef, status and identifier as text for each line of a bulk', async () => {
    const stream = openStream(service.server.url + PATH, MINIMAL);
    stream.request.end(ITEMS.map((item) => `${JSON.stringify(item)}\n`).join(''));
    expect((await stream.response).headers['preference-applied']).toBe('return=minimal');
    const lines: any[] = [];
    for await (const line of stream.lines) lines.push(line);
    expect(lines.map(({ line }) => line)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(Object.keys(lines[0])).toEqual(['line', 'clientRef', 'status', 'identifier']);
    await expectMinimal(lines);
  });

  it('returns clientRef, status and identifier as text for each item of a batch, and in a replay', async () => {
    const request = { namingAuthority: service.na, items: ITEMS.map((item) => withOwnName(item)) };
    const send = (headers = {}) =>
      service.client.post('/identifiers/batch', request, { 'idempotency-key': `minimal-${service.na}`, ...headers });
    const whole = await send();
    expect(whole.headers.get('preference-applied')).toBeNull();
    const minimal = await send(MINIMAL);
    expect(minimal.headers.get('preference-applied')).toBe('return=minimal');
    expect(minimal.headers.get('idempotency-replayed')).toBe('true');
    expect(Object.keys(minimal.body.items[0])).toEqual(['clientRef', 'status', 'identifier']);
    expect(minimal.body.items).toEqual(
      whole.body.items.map(({ record, metadataRecord, ...result }: any) => {
        expect(record?.identifier).toBe(result.identifier);
        return { ...result, ...(metadataRecord && { metadataId: `hdl:${metadataRecord.identifier}` }) };
      }),
    );
  });

  it('replays lines of a bulk in the other form', async () => {
    const key = { 'idempotency-key': `either-form-${service.na}` };
    const whole = await sendLines(service.server.url + PATH, '{}\n{}\n', key);
    const minimal = await sendLines(service.server.url + PATH, '{}\n{}\n', { ...key, ...MINIMAL });
    expect(minimal.map(({ identifier }) => identifier)).toEqual(whole.map(({ identifier }) => identifier));
  });
});

/** Separates the batch from the identifiers of the bulk. */
function withOwnName(item: (typeof ITEMS)[number]): object {
  return { ...item, ...(item.metadataId !== undefined && { metadataId: 'demo:minimal-batch' }) };
}
