import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { Client } from '../harness/client.js';
import { reservationsOf } from '../harness/reservations.js';
import { startServer } from '../harness/server.js';
import { useService } from '../harness/service.js';

const service = useService({ RESERVATION_SWEEP_INTERVAL_MS: '86400000' });
const { reserve, query } = reservationsOf(service);

const activatedCount = async (): Promise<number> => {
  const [row] = await query<{ n: number }>("SELECT count(*)::int AS n FROM change WHERE kind = 'activated'");
  return row!.n;
};

describe('the activation of 10,000 identifiers', () => {
  it('lets changes of other identifiers proceed, and has each in its history once', async () => {
    const other = (await service.client.mint()).body.identifier;
    const made = await reserve({ count: 10_000 });
    const headers = { 'content-type': 'application/json', 'if-match': '*' };
    const ended = new AbortController();
    const activation = service.client.post(`/reservations/${made.body.id}/activate`, {}).finally(() => {
      ended.abort();
    });
    let slowestMs = 0;
    for (let change = 0; !ended.signal.aborted; change++) {
      const sent = performance.now();
      const target = `https://example.org/${change}`;
      const changed = await service.client.send('PATCH', `/identifiers/${other}`, headers, JSON.stringify({ target }));
      expect(changed.status).toBe(200);
      slowestMs = Math.max(slowestMs, performance.now() - sent);
      await pause(5);
    }
    process.stderr.write(`slowest PATCH during an activation of 10,000: ${Math.round(slowestMs)} ms\n`);
    expect((await activation).body).toMatchObject({ activated: 10_000, released: 0, skipped: 0 });
    // The changes of the other identifier are between those of the activation: none waited for all of it.
    const [row] = await query<{ between: number; largest: number; activated: number }>(
      `WITH activation AS (SELECT position, count(*)::int AS n FROM change WHERE kind = 'activated' GROUP BY position)
       SELECT (SELECT count(DISTINCT (SELECT max(a.position) FROM activation a WHERE a.position < c.position))::int
               FROM change c WHERE c.kind = 'changed' AND c.position < (SELECT max(position) FROM activation)
                 AND c.position > (SELECT min(position) FROM activation)) AS between,
              max(n)::int AS largest, sum(n)::int AS activated FROM activation`,
    );
    expect(row!.activated).toBe(10_000);
    expect(row!.largest).toBeLessThanOrEqual(100);
    expect(row!.between).toBeGreaterThan(5);
  });

  it('continues after kill -9 with the same Idempotency-Key, and reports each item as activated', async () => {
    const before = await activatedCount();
    const server = await startServer({ DATABASE_URL: service.database.url, ACCESS: 'open' });
    const made = await reserve({ count: 3000 });
    const path = `/reservations/${made.body.id}/activate`;
    const headers = { 'idempotency-key': randomUUID() };
    const first = new Client(server.url).post(path, {}, headers).catch(() => null);
    while ((await activatedCount()) === before) await pause(5);
    await server.stop('SIGKILL');
    expect(await first).toBeNull();
    expect((await activatedCount()) - before).toBeLessThan(3000);
    const other = await service.client.mint({}, headers);
    expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    // The server may still have the transaction of the killed process.
    let report = await service.client.post(path, {}, headers);
    while (report.status === 409) report = await service.client.post(path, {}, headers);
    expect(report.body).toMatchObject({ id: made.body.id, activated: 3000, released: 0, skipped: 0 });
    expect(report.body.items.map(({ identifier }: any) => identifier)).toEqual(made.body.items);
    expect((await activatedCount()) - before).toBe(3000);
    const again = await service.client.post(path, {}, headers);
    expect([again.headers.get('idempotency-replayed'), again.text]).toEqual(['true', report.text]);
  });

  it('twice concurrently with one Idempotency-Key returns one report', async () => {
    const made = await reserve({ count: 500 });
    const headers = { 'idempotency-key': randomUUID() };
    const send = async () => {
      for (;;) {
        const answer = await service.client.post(`/reservations/${made.body.id}/activate`, {}, headers);
        if (answer.status !== 409) return answer;
      }
    };
    const reports = await Promise.all([send(), send(), send()]);
    expect(reports.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(reports.map(({ text }) => text)).size).toBe(1);
    expect(reports[0].body).toMatchObject({ activated: 500, skipped: 0 });
  });

  it('does not claim that nothing was changed when a part after the first one fails, and is completed by a repeat', async () => {
    const made = await reserve({ count: 250 });
    const holder = new pg.Client({ connectionString: service.database.url });
    await holder.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT FROM identifier WHERE reservation = $1 ORDER BY id DESC LIMIT 1 FOR UPDATE', [
      made.body.id,
    ]);
    const [path, headers] = [`/reservations/${made.body.id}/activate`, { 'idempotency-key': randomUUID() }];
    const before = await activatedCount();
    const failed = await service.client.post(path, {}, headers);
    await holder.query('ROLLBACK');
    await holder.end();
    expect((await activatedCount()) - before).toBe(200);
    expect([failed.status, failed.body.code]).toEqual([503, 'CONFLICT_IN_PROGRESS']);
    expect(failed.body.detail).toMatch(/earlier parts have taken effect/);
    expect(failed.body.detail).not.toMatch(/nothing was changed/i);
    expect((await service.client.post(path, {}, headers)).body).toMatchObject({ activated: 250, skipped: 0 });
  });
});
