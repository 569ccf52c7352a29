import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { createDatabase, withoutTriggers } from '../harness/database.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';
import { limitMs, undisturbed } from '../harness/stalls.js';

const service = useService();
const batch = (body: unknown, headers: Record<string, string> = {}, mode = '') =>
  service.client.post(`/identifiers/batch${mode && `?mode=${mode}`}`, body, headers);
const NA = '100.102';

async function query<T extends object>(text: string, url = service.database.url): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(text)).rows;
  } finally {
    await client.end();
  }
}

const total = async (url?: string) =>
  (await query<{ n: number }>('SELECT count(*)::int AS n FROM identifier', url))[0]!.n;

describe('POST /identifiers/batch', () => {
  it('mints count identifiers, each with the result of a single mint', async () => {
    const { status, body } = await batch({ namingAuthority: NA, count: 3 });
    expect(status).toBe(200);
    expect(body.items).toHaveLength(3);
    expect(new Set(body.items.map((each: any) => each.identifier)).size).toBe(3);
    for (const { status: each, identifier, record, metadataRecord, clientRef } of body.items) {
      expect([each, clientRef]).toEqual([201, null]);
      const found = await service.client.get(`/identifiers/${identifier}`);
      expect([found.body, metadataRecord]).toEqual([record, null]);
    }
  });

  it('returns results in input order with clientRef, rejected items among minted ones (perItem is the default)', async () => {
    await service.client.mint({ metadataId: 'demo:known' });
    const { status, body } = await batch({
      namingAuthority: NA,
      items: [
        { clientRef: 'a' },
        { clientRef: 'b', metadataId: 'hdl:77.7/XYZ' },
        { clientRef: 'c', namingAuthority: '99.9' },
        { clientRef: 'd', target: 'ftp://x' },
        { clientRef: 'e', metadataId: 'demo:known' },
        { clientRef: 'f', metadataId: 'demo:known2', onExisting: 'reject', surprise: 1 },
        null,
        { clientRef: 'g', namingAuthority: '2000.01' },
      ],
    });
    expect(status).toBe(200);
    expect(body.items.map(({ clientRef, status: each, problem }: any) => [clientRef, each, problem?.code])).toEqual([
      ['a', 201, undefined],
      ['b', 201, undefined],
      ['c', 422, 'UNKNOWN_NAMING_AUTHORITY'],
      ['d', 400, 'INVALID_REQUEST'],
      ['e', 200, undefined],
      ['f', 400, 'INVALID_REQUEST'],
      [null, 400, 'INVALID_REQUEST'],
      ['g', 201, undefined],
    ]);
    expect(body.items[3].problem.errors[0].pointer).toBe('/target');
    expect(body.items[5].problem.errors[0].pointer).toBe('/surprise');
    expect(body.items[7].record.namingAuthority).toBe('2000.01');
    expect('identifier' in body.items[2]).toBe(false);
  });

  it('mints metadata IDs pairwise on request', async () => {
    const { body } = await batch({ namingAuthority: NA, items: [{ mintMetadataId: true }, {}] });
    const [pair, single] = body.items;
    expect(pair.metadataRecord.describes).toEqual([pair.identifier]);
    expect(pair.record.metadataId).toBe(`hdl:${pair.metadataRecord.identifier}`);
    expect(single.metadataRecord).toBeNull();
  });

  it('names duplicates inside one batch with the index of the other item', async () => {
    const guid = 'AAAAAAAA00004000800000000000000A';
    const { body } = await batch({
      namingAuthority: NA,
      items: [
        { metadataId: 'demo:dup', alternateIds: ['demo:alt'] },
        { metadataId: 'info:fedora/demo:dup', onExisting: 'return' },
        { guid },
        { guid: guid.toLowerCase() },
        { alternateIds: ['demo:other', 'info:fedora/demo:alt'] },
        { namingAuthority: '2000.01', guid, metadataId: 'demo:dup' },
      ],
    });
    expect(body.items.map((each: any) => [each.status, each.problem?.code])).toEqual([
      [201, undefined],
      [422, 'DUPLICATE_IN_REQUEST'],
      [201, undefined],
      [422, 'DUPLICATE_IN_REQUEST'],
      [422, 'DUPLICATE_IN_REQUEST'],
      [201, undefined],
    ]);
    const problems = body.items.flatMap((each: any) => each.problem ?? []);
    expect(problems.map((each: any) => [each.errors[0].pointer, each.duplicateOf])).toEqual([
      ['/metadataId', 0],
      ['/guid', 2],
      ['/alternateIds/1', 0],
    ]);
  });

  it('writes nothing in the mode "atomic" when any item is rejected, and names each fault by its pointer', async () => {
    await service.client.mint({ metadataId: 'demo:taken' });
    const before = await total();
    const wrong = await batch(
      { namingAuthority: NA, items: [{}, {}, {}, { target: 'no' }, { guid: 'x' }] },
      {},
      'atomic',
    );
    expect([wrong.status, wrong.body.code]).toEqual([422, 'BATCH_REFUSED']);
    expect(wrong.body.errors.map((each: any) => [each.pointer, each.code])).toEqual([
      ['/items/3/target', 'INVALID_REQUEST'],
      ['/items/4/guid', 'INVALID_GUID'],
    ]);
    const taken = { metadataId: 'demo:taken', onExisting: 'reject' };
    const rejected = await batch({ namingAuthority: NA, items: [{}, {}, {}, taken] }, {}, 'atomic');
    expect([rejected.status, rejected.body.code]).toEqual([422, 'BATCH_REFUSED']);
    expect(rejected.body.errors).toMatchObject([{ pointer: '/items/3/metadataId', code: 'METADATA_ID_TAKEN' }]);
    expect(await total()).toBe(before);
    const good = await batch({ namingAuthority: NA, items: [{}, {}] }, {}, 'atomic');
    expect(good.body.items.map((each: any) => each.status)).toEqual([201, 201]);
  });

  it.each([
    [{ namingAuthority: NA }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, count: 1, items: [{}] }, 400, 'INVALID_REQUEST'],
    [{ count: 1 }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, count: 0 }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, count: 10_001 }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, items: [] }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, items: new Array(10_001).fill({}) }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, items: {} }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, items: null }, 400, 'INVALID_REQUEST'],
    [{ namingAuthority: NA, count: 1, x: 1 }, 400, 'INVALID_REQUEST'],
    [[], 400, 'INVALID_REQUEST'],
    [null, 400, 'INVALID_REQUEST'],
    ['text', 400, 'INVALID_REQUEST'],
    [{ namingAuthority: '99.9', count: 5 }, 422, 'UNKNOWN_NAMING_AUTHORITY'],
  ])('rejects the whole batch %#', async (body, status, code) => {
    const answer = await batch(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('rejects an unknown mode, and an item with a clientRef of 256 characters', async () => {
    expect((await batch({ namingAuthority: NA, count: 1 }, {}, 'some')).body.code).toBe('INVALID_REQUEST');
    const { body } = await batch({ namingAuthority: NA, items: [{ clientRef: 'x'.repeat(256) }] });
    expect(body.items[0].problem.errors[0].pointer).toBe('/clientRef');
  });

  it('returns a clientRef of 255 characters that each take two UTF-16 code units', async () => {
    const clientRef = '😀'.repeat(255);
    const { body } = await batch({ namingAuthority: NA, items: [{ clientRef }] });
    expect(body.items[0]).toMatchObject({ status: 201, clientRef });
  });
});

describe('the Idempotency-Key of a batch', () => {
  const request = { namingAuthority: NA, items: [{ clientRef: '1', mintMetadataId: true }, { target: 'no' }, {}] };

  it('covers the batch: a repeat mints nothing and shows the identifiers as they are now', async () => {
    const first = await batch(request, { 'idempotency-key': 'b1' });
    const before = await total();
    const { guid } = first.body.items[0].record;
    await query(
      `UPDATE identifier SET target = 'https://new.example/', version = 2, is_first_event = false WHERE upper(replace(guid::text, '-', '')) = '${guid}'`,
      withoutTriggers(service.database.url),
    );
    const again = await batch(request, { 'idempotency-key': 'b1' });
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    const expected = structuredClone(first.body);
    Object.assign(expected.items[0].record, { target: 'https://new.example/', version: 2 });
    expect(again.body).toEqual(expected);
    expect(await total()).toBe(before);
    const [{ size }] = (await query<{ size: number }>(
      "SELECT length(outcome) AS size FROM request WHERE key = 'b1'",
    )) as [{ size: number }];
    expect(size).toBeLessThan(first.text.length / 3);
  });

  it('with another body, another mode or for a single mint returns 422', async () => {
    await batch(request, { 'idempotency-key': 'b2' });
    for (const answer of [
      await batch({ ...request, items: [{}] }, { 'idempotency-key': 'b2' }),
      await batch({ namingAuthority: NA, count: 3 }, { 'idempotency-key': 'b2' }),
      await batch({ namingAuthority: NA, items: [{}] }, { 'idempotency-key': 'b2' }, 'atomic'),
      await service.client.mint({}, { 'idempotency-key': 'b2' }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    await service.client.mint({}, { 'idempotency-key': 'b3' });
    const single = await batch(request, { 'idempotency-key': 'b3' });
    expect([single.status, single.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('of a batch in flight returns 409 with Retry-After, and twenty at once mint one batch', async () => {
    const before = await total();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => batch({ namingAuthority: NA, count: 200 }, { 'idempotency-key': 'b4' })),
    );
    expect(await total()).toBe(before + 200);
    for (const { status, body, headers } of answers) {
      if (status === 200) continue;
      expect([status, body.code]).toEqual([409, 'REQUEST_IN_FLIGHT']);
      expect(headers.get('retry-after')).not.toBeNull();
    }
    expect(answers.some(({ status }) => status === 200)).toBe(true);
  });

  it('replays an atomic batch whose naming authority has been suspended since', async () => {
    const change = (state: string) =>
      service.client.send(
        'PATCH',
        '/naming-authorities/2000.01',
        { 'content-type': 'application/json', 'if-match': '*' },
        JSON.stringify({ state }),
      );
    const items = { items: [{ namingAuthority: '2000.01' }] };
    const first = await batch(items, { 'idempotency-key': 'b6' }, 'atomic');
    expect((await change('suspended')).status).toBe(200);
    const [again, other] = [
      await batch(items, { 'idempotency-key': 'b6' }, 'atomic'),
      await batch(items, { 'idempotency-key': 'b7' }, 'atomic'),
    ];
    expect((await change('active')).status).toBe(200);
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body]);
    expect([other.status, other.body.errors[0].code]).toEqual([422, 'SUSPENDED_NAMING_AUTHORITY']);
    expect((await batch(items, { 'idempotency-key': 'b7' }, 'atomic')).status).toBe(200);
  });

  it('is free again after an atomic batch that was rejected', async () => {
    const rejected = { namingAuthority: NA, items: [{ namingAuthority: '99.9' }] };
    expect((await batch(rejected, { 'idempotency-key': 'b5' }, 'atomic')).status).toBe(422);
    expect((await batch({ namingAuthority: NA, count: 1 }, { 'idempotency-key': 'b5' })).status).toBe(200);
  });
});

describe('a batch of 10,000', () => {
  const itemsOf = (set: string) =>
    Array.from({ length: 10_000 }, (_, index) => ({
      clientRef: `row ${index}`,
      metadataId: `info:fedora/${set}:${index}`,
      target: `https://repo.example.org/objects/${index}`,
    }));
  const items = itemsOf('big');

  it('is minted completely, while other requests take less than half a second', async () => {
    let set = 0;
    await undisturbed(() => mintBeside(itemsOf(`beside-${(set += 1)}`)));
  });

  const mintBeside = async (items: ReturnType<typeof itemsOf>) => {
    const over = new AbortController();
    let slowest = 0;
    const watch = (async () => {
      while (!over.signal.aborted) {
        const start = performance.now();
        await service.client.get('/health/live');
        slowest = Math.max(slowest, performance.now() - start);
      }
    })();
    const start = performance.now();
    const { body } = await batch({ namingAuthority: NA, items });
    over.abort();
    await watch;
    process.stderr.write(
      `10,000 items in ${Math.round(performance.now() - start)} ms, slowest other answer ${Math.round(slowest)} ms\n`,
    );
    expect(body.items.map((each: any) => each.clientRef)).toEqual(items.map(({ clientRef }) => clientRef));
    expect(body.items.every((each: any) => each.status === 201)).toBe(true);
    // A service whose coverage is counted is several times as slow.
    if (process.env.SERVICES_COVERED !== '1') expect(slowest).toBeLessThan(limitMs(500));
  };

  it('whose service is killed between commit and response is minted once, and its repeat returns the same identifiers', async () => {
    const database = await createDatabase();
    const variables = { DATABASE_URL: database.url, ACCESS: 'open', NAMING_AUTHORITIES: NA };
    const server = await startServer(variables);
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'killed' };
    const body = JSON.stringify({ namingAuthority: NA, items });
    // The response is larger than all buffers and is not read, so the client cannot have received it.
    const answer = fetch(`${server.url}/identifiers/batch`, { method: 'POST', headers, body }).then(
      (response) => response,
      () => null,
    );
    while ((await total(database.url)) === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    await server.stop('SIGKILL');
    await expect((await answer)?.text() ?? Promise.reject(new Error('cut'))).rejects.toThrow();
    const minted = await query<{ guid: string }>(
      "SELECT upper(replace(guid::text, '-', '')) AS guid FROM identifier ORDER BY id",
      database.url,
    );
    expect(minted).toHaveLength(10_000);
    const second = await startServer(variables);
    const again = await new Client(second.url).send('POST', '/identifiers/batch', headers, body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect(again.body.items.map((each: any) => each.record.guid)).toEqual(minted.map(({ guid }) => guid));
    expect(await total(database.url)).toBe(10_000);
    await second.stop();
    await database.drop();
  });
});
