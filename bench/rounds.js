import { cpuMicros, residentMb } from './processes.js';

/** A work that cannot be done here; its message says why. */
export class Skip extends Error {}

/**
 * Lets the variants of a work run by turns: A B C, then C B A, so that what disturbs the machine for a while disturbs
 * all of them, and nobody always comes after the same one.
 *
 * A variant is `run(seconds)`, which answers a sample (operations, seconds, p50Ms, p99Ms, failures and figures of its
 * own), and optionally `server`, `verify()` once at first, `before()` and `gate(sample)` around each run; the latter two
 * answer or leave a list of failures. A variant with a failure has no number.
 * @returns {Promise<Map<string, {samples: object[], failures: string[]}>>}
 */
export async function playRounds(variants, { rounds, seconds, warmUpSeconds }, cluster) {
  const names = Object.keys(variants);
  const results = new Map(names.map((name) => [name, { samples: [], failures: [] }]));
  const fail = (name, failures) => results.get(name).failures.push(...failures);
  const playing = () => names.filter((name) => results.get(name).failures.length === 0);

  for (const name of names) fail(name, (await variants[name].verify?.()) ?? []);
  for (const name of playing()) fail(name, (await play(variants[name], warmUpSeconds, cluster)).failures);
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? playing() : playing().reverse();
    for (const name of order) {
      const sample = await play(variants[name], seconds, cluster);
      results.get(name).samples.push(sample);
      fail(name, sample.failures);
    }
  }
  return results;
}

async function play(variant, seconds, cluster) {
  await variant.before?.();
  const pids = [await cluster.pid(), ...(variant.server === undefined ? [] : [variant.server.pid])];
  const [cpuBefore, walBefore] = [await cpuOf(pids), await cluster.walBytes()];
  const sample = await variant.run(seconds);
  const [cpuAfter, walAfter] = [await cpuOf(pids), await cluster.walBytes()];
  const failures = [...sample.failures, ...((await variant.gate?.(sample)) ?? [])];
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

/** @returns median, least and greatest of the rounds' ratios; undefined when a variant has no number. */
export function ratios(results, { of, to, metric = 'perSecond' }) {
  const [one, other] = [results.get(of), results.get(to)];
  if (![one, other].every((result) => result?.failures.length === 0 && result.samples.length > 0)) return undefined;
  return spread(one.samples.map((sample, round) => sample[metric] / other.samples[round][metric]));
}

/** @returns median, least and greatest; undefined when there is nothing to count. */
export function spread(values) {
  const sorted = values.filter((value) => Number.isFinite(value)).sort((a, b) => a - b);
  if (sorted.length === 0) return undefined;
  const middle = (sorted.length - 1) / 2;
  const median = (sorted[Math.floor(middle)] + sorted[Math.ceil(middle)]) / 2;
  return { median, least: sorted[0], greatest: sorted.at(-1) };
}
