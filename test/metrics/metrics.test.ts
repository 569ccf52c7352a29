import { describe, expect, it } from '@jest/globals';
import { Metrics } from '../../src/metrics/metrics.js';

const series = async (metrics: Metrics, name: string) =>
  (await metrics.scrape()).split('\n').filter((line) => line.startsWith(`${name}{`));

describe('mintmark_mints_total', () => {
  it('counts identifiers, not requests, by naming authority and outcome', async () => {
    const metrics = new Metrics();
    metrics.minted('100.102', 'created', 40);
    metrics.minted('100.102', 'created', 2);
    metrics.minted('100.102', 'replayed');
    const found = await series(metrics, 'mintmark_mints_total');
    expect(found).toContain('mintmark_mints_total{naming_authority="100.102",outcome="created"} 42');
    expect(found).toContain('mintmark_mints_total{naming_authority="100.102",outcome="replayed"} 1');
  });

  it('labels rejections with a naming authority only after it has minted, so that clients cannot create labels', async () => {
    const metrics = new Metrics();
    for (let i = 0; i < 1000; i++) metrics.minted(`666.${i}`, 'rejected');
    expect(await series(metrics, 'mintmark_mints_total')).toEqual([
      'mintmark_mints_total{naming_authority="unknown",outcome="rejected"} 1000',
    ]);
    metrics.minted('666.1', 'existing');
    metrics.minted('666.1', 'rejected');
    expect(await series(metrics, 'mintmark_mints_total')).toContain(
      'mintmark_mints_total{naming_authority="666.1",outcome="rejected"} 1',
    );
  });

  it('never has more than 502 naming authorities, whatever the mints are', async () => {
    const metrics = new Metrics();
    for (let i = 0; i < 2000; i++) metrics.minted(`100.${i}`, 'created');
    const found = await series(metrics, 'mintmark_mints_total');
    expect(found).toHaveLength(502);
    expect(found).toContain('mintmark_mints_total{naming_authority="other",outcome="created"} 1500');
  });
});

describe('mintmark_queue_depth', () => {
  it('reads the depth of each queue at each scrape', async () => {
    const metrics = new Metrics();
    let waiting = 3;
    metrics.queueDepth('mints', () => waiting);
    metrics.queueDepth('events', () => 0);
    expect(await series(metrics, 'mintmark_queue_depth')).toEqual([
      'mintmark_queue_depth{queue="mints"} 3',
      'mintmark_queue_depth{queue="events"} 0',
    ]);
    waiting = 5;
    expect(await series(metrics, 'mintmark_queue_depth')).toContain('mintmark_queue_depth{queue="mints"} 5');
  });
});

describe('concurrent scrapes', () => {
  it('read each figure once, and a later scrape reads it again', async () => {
    const metrics = new Metrics();
    let reads = 0;
    metrics.queueDepth('mints', () => ++reads);
    const texts = await Promise.all(Array.from({ length: 1000 }, () => metrics.scrape()));
    expect([reads, new Set(texts).size]).toEqual([1, 1]);
    expect(await metrics.scrape()).toContain('mintmark_queue_depth{queue="mints"} 2\n');
  });

  it('that fail do not make a later one fail', async () => {
    const metrics = new Metrics();
    let fails = true;
    metrics.database.watchEventFeed(() => (fails ? Promise.reject(new Error('lost')) : Promise.resolve(3)));
    await expect(Promise.all([metrics.scrape(), metrics.scrape()])).rejects.toThrow('lost');
    fails = false;
    expect(await metrics.scrape()).toContain('\nmintmark_event_feed_age_seconds 3\n');
  });
});

describe('mintmark_errors_total', () => {
  it('counts responses by the code of their error', async () => {
    const metrics = new Metrics();
    metrics.failed('RATE_LIMITED');
    metrics.failed('RATE_LIMITED');
    metrics.failed('STATEMENT_TIMEOUT');
    expect(await series(metrics, 'mintmark_errors_total')).toEqual([
      'mintmark_errors_total{code="RATE_LIMITED"} 2',
      'mintmark_errors_total{code="STATEMENT_TIMEOUT"} 1',
    ]);
  });
});

describe('mintmark_http_request_duration_seconds', () => {
  it('tells a stream of half an hour from one of five minutes', async () => {
    const metrics = new Metrics();
    metrics.responded('GET', '/export', 200, 300);
    metrics.responded('GET', '/export', 200, 1800);
    const found = await series(metrics, 'mintmark_http_request_duration_seconds_bucket');
    const counts = found.map((line) => /le="([^"]+)".* (\d+)$/.exec(line)?.slice(1));
    expect(counts.slice(-4)).toEqual([
      ['120', '0'],
      ['600', '1'],
      ['3600', '2'],
      ['+Inf', '2'],
    ]);
  });
});

describe('mintmark_replica_lag_seconds', () => {
  it('is read at each scrape, where there is a standby', async () => {
    const metrics = new Metrics();
    expect(await metrics.scrape()).not.toContain('mintmark_replica_lag_seconds');
    metrics.database.watchReplica({ reads: { replica: 5, primary: 0, fallback: 1 }, lagSeconds: 2.5 });
    expect(await metrics.scrape()).toContain('\nmintmark_replica_lag_seconds 2.5\n');
    expect(await series(metrics, 'mintmark_record_reads_total')).toContain(
      'mintmark_record_reads_total{server="replica"} 5',
    );
  });
});
