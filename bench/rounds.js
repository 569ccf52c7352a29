import { cpuMicros, residentMb } from './processes.js';

/** A workload cannot run; the message is the reason. */
export class Skip extends Error {}

/**
 * Runs the variants of a workload in alternating order, A B C and then C B A, so that other activity of the machine affects
 * all of them, and no variant always follows the same one.
 *
 * A variant has `run(seconds)`, which returns a sample (operations, seconds, p50Ms, p99Ms, failures and further figures).
 * Optional members: `server`; `verify()`, called once before the first run, and `check(sample)`, called after each run, which return
 * failures; and `before()`, called before each run. A variant with a failure does not run again and has no result.
 * @returns {Promise<Map<string, {samples: object[], failures: string[]}>>}
 */
export async function runRounds(variants, { rounds, seconds, warmUpSeconds }, cluster) {
  const names = Object.keys(variants);
  const results = new Map(names.map((name) => [name, { samples: [], failures: [] }]));
  const fail = (name, failures) => results.get(name).failures.push(...failures);
  const active = () => names.filter((name) => results.get(name).failures.length === 0);

  for (const name of names) fail(name, (await variants[name].verify?.()) ?? []);
  for (const name of active()) fail(name, (await runOnce(variants[name], warmUpSeconds, cluster)).failures);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? active() : active().reverse();
    for (const name of order) {
      const sample = await runOnce(variants[name], seconds, cluster);
      results.get(name).samples.push(sample);
      fail(name, sample.failures);
    }
  }
  return results;
}

async function runOnce(variant, seconds, cluster) {
  await variant.before?.();
  const pids = [await cluster.pid(), ...(variant.server === undefined ? [] : [variant.server.pid])];
  const [cpuBefore, walBefore] = [await cpuOf(pids), await cluster.walBytes()];
  const sample = await variant.run(seconds);
  const [cpuAfter, walAfter] = [await cpuOf(pids), await cluster.walBytes()];
  const failures = [...sample.failures, ...((await variant.check?.(sample)) ?? [])];
  return {
    memoryMb: variant.server === undefined ? undefined : await residentMb(variant.server.pid),
    cpuMicros: (cpuAfter - cpuBefore) / sample.operations,
    perSecond: sample.operations / sample.seconds,
    walPerThousand: ((walAfter - walBefore) / sample.operations) * 1000,
    ...sample,
    failures,
  };
}

async function cpuOf(pids) {
  const times = await Promise.all(pids.map(cpuMicros));
  return times.reduce((sum, time) => sum + (time ?? NaN), 0);
}

/** @returns median, minimum and maximum of the ratios within each round; undefined when a variant has no result. */
export function ratios(results, { of, to, metric = 'perSecond' }) {
  const [one, other] = [results.get(of), results.get(to)];
  if (![one, other].every((result) => result?.failures.length === 0 && result.samples.length > 0)) return undefined;
  return spread(one.samples.map((sample, round) => sample[metric] / other.samples[round][metric]));
}

/** @returns median, minimum and maximum; undefined without a finite value. */
export function spread(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { median, least: sorted[0], greatest: sorted.at(-1) };
}
