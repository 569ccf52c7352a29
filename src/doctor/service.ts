import type { Config } from '../config/config.js';
import { type Found, error, ok, warning } from './finding.js';

const TIMEOUT_MS = 5000;

/** Seconds above which the cache of records and the feed of events count as delayed. */
const MAX_AGE_SECONDS = 10;

/** Metrics that are ages, each with the beginning of its warning. */
const AGES = {
  mintmark_record_cache_poll_age_seconds: 'The cache of records was compared with the log of changes',
  mintmark_event_feed_age_seconds: 'The feed of events has been delayed by a transaction of the database for',
} as const;

/** Checks the readiness of a service that runs with this configuration, and the ages of its cache and its feed. */
export async function service({ host, port, metricsPort, adminApiKey }: Config): Promise<Found[]> {
  const name = host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host;
  const url = `http://${name}:${port}`;
  const ready = await get(`${url}/health/ready`);
  if (ready === null) return ok(`No service responds at ${url}.`);
  if (ready.status !== 200) return error(`The service at ${url} is not ready: ${detailOf(ready.body)}`);
  const key: Record<string, string> = adminApiKey === null ? {} : { authorization: `Bearer ${adminApiKey}` };
  const metrics = await get(metricsPort === null ? `${url}/metrics` : `http://${name}:${metricsPort}/metrics`, key);
  const late = Object.entries(AGES).flatMap(([metric, text]) => {
    const line = metrics?.body.split('\n').find((each) => each.startsWith(`${metric} `));
    const age = Number(line?.slice(metric.length + 1));
    return age > MAX_AGE_SECONDS ? warning(`${text} ${age.toFixed(0)} s. See docs/how-to/monitor.md.`) : [];
  });
  return late.length > 0 ? late : ok(`The service at ${url} is ready.`);
}

async function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: string } | null> {
  try {
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    return { status: response.status, body: await response.text() };
  } catch {
    return null;
  }
}

/** The detail of a problem document (RFC 9457), or the beginning of any other text. */
function detailOf(body: string): string {
  try {
    return (JSON.parse(body) as { detail: string }).detail;
  } catch {
    return body.slice(0, 200);
  }
}
