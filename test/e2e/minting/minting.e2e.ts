import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { useService } from '../harness/service.js';

const service = useService();

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: service.database.url });
  await client.connect();
  return client;
}

/** Waits until this number of sessions wait for a lock, or the request that should wait has ended. */
async function waitForLocks(client: pg.Client, count: number, request: Promise<unknown>): Promise<void> {
  const sql = "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
  const ended = request.then(() => 'ended');
  do {
    if ((await client.query(sql)).rows.length >= count) return;
  } while ((await Promise.race([ended, pause(20)])) !== 'ended');
}

/** A metadata ID that no other test of this file uses. */
const freshMetadataId = () => `hdl:2000.03/${randomUUID().replaceAll('-', '').toUpperCase()}`;

describe('POST /identifiers', () => {
  it('returns 201 with the representation, Location and ETag', async () => {
    const metadataId = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';
    const target = 'https://repo.example.org/objects/7';
    const minted = await service.client.mint({ metadataId, target });
    expect(minted.status).toBe(201);
    const { guid } = minted.body;
    expect(minted.headers.get('location')).toBe(`/identifiers/100.102/${guid}`);
    const found = await service.client.get(`/identifiers/100.102/${guid}`);
    expect(minted.headers.get('etag')).toBe(found.headers.get('etag'));
    expect(minted.body).toMatchObject({
      identifier: `100.102/${guid}`,
      namingAuthority: '100.102',
      localName: guid,
      metadataId,
      target,
      state: 'active',
      alternateIds: [],
      version: 1,
      leaseUntil: null,
      tombstone: null,
      uris: {
        cordraPath: `hdl:100.102/${guid}`,
        cordraHost: `hdl://100.102/${guid}`,
        resolver: `http://hdl.handle.net/100.102/${guid}`,
        handleUri: `hdl:100.102/${guid}`,
        infoHdl: `info:hdl/100.102/${guid}`,
      },
    });
    expect(minted.body.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(minted.body.updatedAt).toBe(minted.body.createdAt);
  });

  it('CID-11, CID-14: mints upper-case GUIDs of version 4 and variant 10x', async () => {
    for (let i = 0; i < 20; i++) {
      const { body } = await service.client.mint();
      expect(body.guid).toMatch(/^[0-9A-F]{12}4[0-9A-F]{3}[89AB][0-9A-F]{15}$/);
    }
  });

  it('mints without a metadata ID, a new identifier each time', async () => {
    const [one, two] = [await service.client.mint(), await service.client.mint()];
    expect([one.status, two.status]).toEqual([201, 201]);
    expect(one.body.metadataId).toBeNull();
    expect(one.body.identifier).not.toBe(two.body.identifier);
  });

  it('CID-24: mints the metadata record too, both resolve, and each shows the other', async () => {
    const minted = await service.client.mint({ mintMetadataId: true });
    expect(minted.status).toBe(201);
    const { identifier, metadataId, metadataRecord } = minted.body;
    expect(metadataId).toBe(`hdl:${metadataRecord.identifier}`);
    expect(metadataRecord.describes).toEqual([identifier]);
    const [object, description] = [
      await service.client.get(`/identifiers/${identifier}`),
      await service.client.get(`/identifiers/${metadataRecord.identifier}`),
    ];
    expect(object.body).toMatchObject({ identifier, metadataId, describes: [] });
    expect(description.body).toMatchObject({ identifier: metadataRecord.identifier, describes: [identifier] });
    expect(object.body.createdAt).toBe(description.body.createdAt);
  });

  it('stores alternate identifiers in canonical form, each once', async () => {
    const { body } = await service.client.mint({
      alternateIds: [
        'demo%3a7',
        'info:fedora/demo:7',
        'doi:10.1000/182',
        'urn:uuid:F58FB49E-B1F8-48F0-A606-E84CEF294BE5',
      ],
    });
    expect(body.alternateIds).toEqual([
      'info:fedora/demo:7',
      'hdl:10.1000/182',
      'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5',
    ]);
  });
});

describe('a metadata ID that is known in the naming authority', () => {
  it('returns 200 and the identifier it describes, in any form', async () => {
    const metadataId = freshMetadataId();
    const first = await service.client.mint({ metadataId });
    const guid = metadataId.slice(-32).toLowerCase();
    for (const spelling of [metadataId, `2000.03/${guid}`, `HDL://2000.03/${guid}`, `info:hdl/2000.03/${guid}`]) {
      const again = await service.client.mint({ metadataId: spelling });
      expect(again.status).toBe(200);
      expect(again.body.identifier).toBe(first.body.identifier);
      expect(again.headers.get('location')).toBe(first.headers.get('location'));
    }
  });

  it('is rejected with 409 and a link if requested', async () => {
    const metadataId = freshMetadataId();
    const first = await service.client.mint({ metadataId });
    const again = await service.client.mint({ metadataId, onExisting: 'reject' });
    expect(again.status).toBe(409);
    expect(again.headers.get('link')).toBe(`</identifiers/${first.body.identifier}>; rel="related"`);
    expect(again.body).toMatchObject({
      code: 'METADATA_ID_TAKEN',
      existing: `/identifiers/${first.body.identifier}`,
    });
  });

  it('is free in another naming authority', async () => {
    const metadataId = freshMetadataId();
    await service.client.mint({ metadataId });
    const other = await service.client.mint({ metadataId, namingAuthority: '2000.01' });
    expect(other.status).toBe(201);
  });

  it('twenty mints at once make one identifier', async () => {
    const metadataId = freshMetadataId();
    const answers = await Promise.all(Array.from({ length: 20 }, () => service.client.mint({ metadataId })));
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(19);
  });
});

describe('a mint that is committed', () => {
  /** Sends a mint that waits for a row, and locks the table for readers between its commit and its response. */
  async function mintBehindLock(key: string): Promise<number> {
    const [rival, reads] = [await connect(), await connect()];
    // The mint waits for the outcome of this row, whose index in the request is unique.
    await rival.query(
      `BEGIN; INSERT INTO identifier (naming_authority_id, guid, client, request_key, request_index, request_hash)
              VALUES ((SELECT id FROM naming_authority WHERE prefix = '100.102'), gen_random_uuid(), 'anonymous', '${key}', 0, encode(substring(sha256('x') FROM 1 FOR 16), 'hex')::uuid)`,
    );
    const mint = service.client.mint({}, { 'idempotency-key': key });
    await waitForLocks(rival, 1, mint);
    // Later readers of identifiers wait behind this lock, which waits for the commit of the mint.
    await reads.query('BEGIN');
    const locked = reads.query('LOCK TABLE identifier IN ACCESS EXCLUSIVE MODE');
    await waitForLocks(rival, 2, mint);
    await rival.query('ROLLBACK');
    const { status } = await mint;
    await locked;
    await reads.query('COMMIT');
    await Promise.all([rival.end(), reads.end()]);
    return status;
  }

  it('returns 201 even when the database cannot be read any more', async () => {
    // A mint waits for a lock in turns of 250 ms. On a busy machine a turn can end before the row is free.
    const statuses: number[] = [];
    while (statuses.at(-1) !== 201 && statuses.length < 10) {
      statuses.push(await mintBehindLock(`waiting-${statuses.length}`));
    }
    expect(statuses.at(-1)).toBe(201);
  });
});

describe('a suspended naming authority', () => {
  it('mints nothing, returns 422, and its identifiers are still found', async () => {
    const { identifier } = (await service.client.mint({ namingAuthority: '2000.01' })).body;
    const admin = await connect();
    await admin.query("UPDATE naming_authority SET state = 'suspended' WHERE prefix = '2000.01'");
    const rejected = await service.client.mint({ namingAuthority: '2000.01' });
    await admin.query("UPDATE naming_authority SET state = 'active' WHERE prefix = '2000.01'");
    await admin.end();
    expect([rejected.status, rejected.body.code]).toEqual([422, 'SUSPENDED_NAMING_AUTHORITY']);
    expect((await service.client.get(`/identifiers/${identifier}`)).status).toBe(200);
  });
});

describe('Idempotency-Key', () => {
  it('two hundred retries of one key mint one identifier, and all return 201', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(Array.from({ length: 200 }, () => service.client.mint({}, headers)));
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(answers.filter((answer) => answer.headers.get('idempotency-replayed') === null)).toHaveLength(1);
  });

  it('a replay of a pair returns both identifiers again', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const first = await service.client.mint({ mintMetadataId: true }, headers);
    const replay = await service.client.mint({ mintMetadataId: true }, headers);
    expect(replay.headers.get('idempotency-replayed')).toBe('true');
    expect(replay.body).toEqual(first.body);
  });

  it('a repeat in another form is the same request', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const metadataId = freshMetadataId();
    const first = await service.client.mint({ metadataId }, headers);
    const replay = await service.client.mint({ metadataId: metadataId.toLowerCase() }, headers);
    expect(replay.status).toBe(201);
    expect(replay.body.identifier).toBe(first.body.identifier);
  });

  it('R-15: so is one whose prefix differs in case only', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const suffix = randomUUID();
    await service.client.mint({ metadataId: `hdl:ab.cd/${suffix}` }, headers);
    const replay = await service.client.mint({ metadataId: `hdl:AB.CD/${suffix}` }, headers);
    expect([replay.status, replay.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
  });

  it('of two bodies that race under one key, one is minted and the other rejected', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const bodies = [{ target: 'https://a.example.org/' }, { target: 'https://b.example.org/' }];
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => service.client.mint(bodies[i % 2], headers)),
    );
    const minted = answers.filter(({ status }) => status === 201);
    expect(new Set(minted.map(({ body }) => body.identifier)).size).toBe(1);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201, 422]));
    expect(minted).toHaveLength(20);
  });

  it('forty pairs at once under one key are one pair', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => service.client.mint({ mintMetadataId: true }, headers)),
    );
    expect(new Set(answers.map(({ body }) => body.identifier)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.metadataRecord.identifier)).size).toBe(1);
  });

  it('another body with the same key is rejected with 422 and mints nothing', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const metadataId = freshMetadataId();
    await service.client.mint({}, headers);
    const other = await service.client.mint({ metadataId }, headers);
    expect(other.status).toBe(422);
    expect(other.body.code).toBe('IDEMPOTENCY_KEY_REUSED');
    const found = await service.client.get(`/identifiers?metadataId=${encodeURIComponent(metadataId)}`);
    expect(found.body.items).toEqual([]);
  });
});

describe('registering an identifier that exists already', () => {
  it('R-05: takes the GUID in any text form of a UUID', async () => {
    const uuid = randomUUID();
    const registered = await service.client.mint({ guid: `{${uuid.toUpperCase()}}` });
    expect(registered.status).toBe(201);
    expect(registered.body.guid).toBe(uuid.replaceAll('-', '').toUpperCase());
  });

  it('CID-13: rejects a GUID that is known, in any case, with 409 and a link', async () => {
    const guid = randomUUID().replaceAll('-', '');
    await service.client.mint({ guid });
    const again = await service.client.mint({ guid: guid.toUpperCase() });
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({ code: 'GUID_TAKEN', existing: `/identifiers/100.102/${guid.toUpperCase()}` });
  });

  it('does not return another identifier than the one to be registered', async () => {
    const metadataId = freshMetadataId();
    await service.client.mint({ metadataId });
    const other = await service.client.mint({ metadataId, guid: randomUUID() });
    expect(other.status).toBe(409);
    expect(other.body.code).toBe('METADATA_ID_TAKEN');
  });

  it('CID-24: rejects an identifier that is its own metadata ID', async () => {
    const guid = randomUUID().replaceAll('-', '');
    const answer = await service.client.mint({ guid, metadataId: `hdl:100.102/${guid}` });
    expect(answer.status).toBe(422);
    expect(answer.body.code).toBe('METADATA_ID_IS_IDENTIFIER');
  });
});
