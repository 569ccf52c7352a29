import { setTimeout as pause } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { ndjson, sendChanges } from '../harness/changes.js';
import { inFuture, reservationsOf } from '../harness/reservations.js';
import { useService } from '../harness/service.js';

// The sweep does not run during the test, and a wait for a lock may take a third of the limit of a statement.
const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '86400000', DATABASE_STATEMENT_TIMEOUT_MS: '60000' });
const { reserve, query } = reservationsOf(service);

/** Locks all identifiers against changes, runs the work until it has `waits` waits for locks, and releases them when `until` has passed. */
async function whileLocked<T>(until: number, work: () => Promise<T>, waits = 1): Promise<T> {
  const lock = new pg.Client({ connectionString: service.database.url });
  await lock.connect();
  // The space of the advisory locks that order changes, see `src/storage/changes/change-log.ts`.
  await lock.query('SELECT pg_advisory_lock($1, bucket) FROM generate_series(0, 511) AS bucket', [0x436867]);
  const result = work();
  const over = new AbortController();
  const end = () => {
    over.abort();
  };
  result.then(end, end);
  const isWaiting = async () =>
    (await query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")).length >= waits;
  while (!over.signal.aborted && !(await isWaiting())) await pause(10);
  await pause(Math.max(0, until - Date.now()));
  await lock.end();
  return result;
}

const activated = async (path: string) => (await service.client.post(`${path}/activate`, {})).body;

describe('a change that waited for its lock', () => {
  let identifier: string;
  let single: any;
  let report: any;

  beforeAll(async () => {
    const leaseUntil = inFuture(5000);
    const minted = await service.client.mint({ state: 'reserved', leaseUntil });
    const reserved = await reserve({ leaseUntil });
    expect([minted.status, reserved.status]).toEqual([201, 201]);
    identifier = minted.body.identifier;
    const paths = [`/identifiers/${identifier}`, `/reservations/${reserved.body.id}`];
    const work = () => Promise.all(paths.map(activated));
    [single, report] = await whileLocked(Date.parse(leaseUntil) + 300, work, 2);
  });

  it('does not activate an identifier whose lease ended meanwhile', async () => {
    expect(single.code).toBe('WRONG_STATE');
    expect((await service.client.get(`/identifiers/${identifier}`)).status).toBe(410);
  });

  it('does not activate members of a reservation whose lease ended meanwhile', () => {
    expect(report).toMatchObject({ activated: 0, skipped: 3 });
    expect(report.items.map(({ problem }: any) => problem.code)).toEqual(Array(3).fill('WRONG_STATE'));
  });
});

describe('an activation that waits for another lock than that of changes', () => {
  it('has no effect after the end of the lease, when others have had 410', async () => {
    const leaseUntil = inFuture(4000);
    const [single, line] = await Promise.all([1, 2].map(() => service.client.mint({ state: 'reserved', leaseUntil })));
    const reserved = await reserve({ leaseUntil, count: 1 });
    const identifiers = [single!.body.identifier, line!.body.identifier, ...reserved.body.items] as string[];
    const lock = new pg.Client({ connectionString: service.database.url });
    await lock.connect();
    await lock.query(`BEGIN; SELECT FROM identifier WHERE state = 'reserved' FOR UPDATE`);
    const activations = Promise.all([
      service.client.post(`/identifiers/${identifiers[0]}/activate`, { target: 'https://a.example.org/' }),
      sendChanges(service.client, ndjson({ identifier: identifiers[1], activate: true })),
      service.client.post(`/reservations/${reserved.body.id}/activate`, {}),
    ]);
    const waiting = async () =>
      (await query("SELECT FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted")).length;
    while ((await waiting()) < 3 && Date.now() < Date.parse(leaseUntil)) await pause(10);
    await pause(Date.parse(leaseUntil) + 200 - Date.now());
    const statuses = async () =>
      Promise.all(identifiers.map(async (each) => (await service.client.get(`/identifiers/${each}`)).status));
    expect(await statuses()).toEqual([410, 410, 410]);
    await lock.end();
    const [ofSingle, ofLine, ofReservation] = await activations;
    expect([ofSingle.status, ofSingle.body.code]).toEqual([409, 'WRONG_STATE']);
    expect(ofLine.lines).toMatchObject([{ status: 409, problem: { code: 'WRONG_STATE' } }]);
    expect(ofReservation.body).toMatchObject({ activated: 0, skipped: 1 });
    expect(await statuses()).toEqual([410, 410, 410]);
  });
});

describe('the time of a change', () => {
  const timesOf = async (identifier: string) => {
    const [row] = await query<{ updated: Date; withdrawn: Date; at: Date }>(
      `SELECT i.updated_at AS updated, i.withdrawn_at AS withdrawn, c.at FROM identifier i
       JOIN event c ON c.identifier_id = i.id AND c.version = i.version WHERE i.guid = $1::uuid`,
      [identifier.slice(8)],
    );
    return row!;
  };

  it('is one for updatedAt, the tombstone and the history, and is taken after the wait for a lock', async () => {
    const { body } = await service.client.mint();
    const released = Date.now() + 200;
    const answer = await whileLocked(released, () =>
      service.client.post(`/identifiers/${body.identifier}/withdraw`, { reason: 'Deposited twice.' }),
    );
    expect(answer.status).toBe(200);
    expect(answer.body.tombstone.withdrawnAt).toBe(answer.body.updatedAt);
    const { updated, withdrawn, at } = await timesOf(body.identifier);
    expect([withdrawn, at]).toEqual([updated, updated]);
    expect(updated.getTime()).toBeGreaterThanOrEqual(released);
  });

  it('is one for a released reservation', async () => {
    const { body } = await reserve();
    await service.client.post(`/reservations/${body.id}/release`, {});
    for (const identifier of body.items) {
      const { updated, withdrawn, at } = await timesOf(identifier);
      expect([withdrawn, at]).toEqual([updated, updated]);
    }
  });

  it('is one for updatedAt and the history of a naming authority', async () => {
    const path = '/naming-authorities/2000.01';
    const { headers } = await service.client.get(path);
    const tag = { 'content-type': 'application/json', 'if-match': headers.get('etag')! };
    const changed = await service.client.send('PATCH', path, tag, '{"uuidVersion":7}');
    const [row] = await query<{ at: Date }>(
      `SELECT at FROM change c JOIN naming_authority n ON n.id = c.naming_authority_id
       WHERE n.prefix = '2000.01' AND c.identifier_id IS NULL AND c.version = 2`,
    );
    expect(row!.at.toISOString()).toBe(changed.body.updatedAt);
  });
});
