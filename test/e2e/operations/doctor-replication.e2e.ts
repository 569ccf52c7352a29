import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { query } from '../harness/database.js';
import { isOne, problemsOf } from '../harness/doctor.js';
import { freePort } from '../harness/free-port.js';
import { type Replicated, startReplicated } from '../harness/replicated.js';

const folder = mkdtempSync(join(tmpdir(), 'mintmark-doctor-'));
let servers: Replicated;
let port: number;

beforeAll(async () => {
  servers = await startReplicated();
  port = await freePort();
});
afterAll(async () => {
  await servers.stop();
  rmSync(folder, { recursive: true });
});

const problems = (variables: Record<string, string> = {}) =>
  problemsOf({ folder, port }, { DATABASE_URL: servers.primary, ...variables });

/** Ends a segment of the log, 16 MiB, for each time. */
async function endSegments(times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await query(servers.primary, `SELECT pg_logical_emit_message(true, 'doctor', ''), pg_switch_wal()`);
  }
}

async function set(name: string, value: string): Promise<void> {
  await query(servers.primary, `ALTER SYSTEM SET ${name} = '${value}'`);
  await query(servers.primary, 'SELECT pg_reload_conf()');
}

describe('mintmark doctor, of the replication', () => {
  it('finds nothing where the standby follows', async () => {
    expect(await problems({ READ_DATABASE_URL: servers.standby })).toEqual({ status: 0, found: [] });
  });

  it('finds a standby that is behind', async () => {
    await query(servers.standby, 'SELECT pg_wal_replay_pause()');
    await endSegments(1);
    const found = await problems({ READ_DATABASE_URL: servers.standby });
    expect(found).toEqual(
      isOne('warning', 'replication', /is more than 10 s behind, and is not read\. Look in its log/),
    );
    await query(servers.standby, 'SELECT pg_wal_replay_resume()');
  });

  it('finds a synchronous standby that is not connected', async () => {
    await set('synchronous_standby_names', 'nobody');
    expect(await problems()).toEqual(isOne('error', 'replication', /"nobody"\) is connected, so commits wait\. Start/));
    await set('synchronous_standby_names', '');
  });

  it('finds a slot without a reader that keeps the log, and one that has lost it', async () => {
    await query(servers.primary, `SELECT pg_create_physical_replication_slot('former', true)`);
    await endSegments(66);
    expect(await problems()).toEqual(isOne('warning', 'replication', /"former" has no reader, and keeps 1\.0 GiB/));
    await set('max_slot_wal_keep_size', '64MB');
    await query(servers.primary, 'CHECKPOINT');
    expect(await problems()).toEqual(isOne('error', 'replication', /"former" has lost its log\. Drop it/));
    await query(servers.primary, `SELECT pg_drop_replication_slot('former')`);
  });

  it('finds a role that may not read the tables of the replica', async () => {
    await query(servers.primary, 'CREATE ROLE stranger LOGIN');
    const url = new URL(servers.standby);
    url.username = 'stranger';
    const found = await problems({ READ_DATABASE_URL: url.href });
    const words = /"stranger" of READ_DATABASE_URL cannot read the tables.*permission denied.*roles\.sql/;
    expect(found).toEqual(isOne('error', 'replication', words));
  });

  it('names a standby that is in DATABASE_URL', async () => {
    const { status, found } = await problems({ DATABASE_URL: servers.standby });
    expect([status, found[0]]).toEqual([
      1,
      { check: 'database', state: 'error', detail: expect.stringMatching(/in recovery \(a standby\).*DATABASE_URL/) },
    ]);
  });

  it('finds a replica that cannot be read', async () => {
    await servers.stopStandby();
    const found = await problems({ READ_DATABASE_URL: servers.standby });
    expect(found).toEqual(isOne('warning', 'replication', /READ_DATABASE_URL cannot be read: .*ECONNREFUSED/));
  });
});
