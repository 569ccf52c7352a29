import { readFile, writeFile } from 'node:fs/promises';
import { format } from 'prettier';
import { ratios, spread } from './rounds.js';

const DOCUMENT = new URL('../docs/reference/performance.md', import.meta.url);
const FROM = '<!-- results: written by npm run bench -- --write -->';
const TO = '<!-- end of results -->';

const NONE = '–';

/** Rows of one workload in the table of comparisons: ratio or figure, median, range, target, and whether the target is met. */
export function comparisonRows(workload, results) {
  const compared = (workload.comparisons ?? [])
    .filter(({ of, to }) => results.has(of) && results.has(to))
    .map((comparison) => {
      const { of, to, title } = comparison;
      return row(
        workload,
        `${title === undefined ? '' : `${title}, `}${of} / ${to}`,
        ratios(results, comparison),
        comparison,
      );
    });
  const limited = (workload.limits ?? []).map((limit) => {
    const { samples = [], failures = [] } = results.get(limit.of) ?? {};
    const values = failures.length > 0 ? [] : samples.map((sample) => sample[limit.metric]);
    return row(workload, limit.title, spread(values), limit);
  });
  return [...compared, ...limited];
}

function row(workload, what, found, { least, most, aim, statistic = 'median' }) {
  const bound = least === undefined ? (most === undefined ? NONE : `≤ ${most}`) : `≥ ${least}`;
  const target = aim === undefined ? bound : `${bound} (${aim})`;
  if (found === undefined) return [workload.title, what, 'no result', NONE, target, NONE];
  const meets = (value) => (least === undefined ? found[statistic] <= value : found[statistic] >= value);
  const isMet = meets(least ?? most ?? NaN);
  const result = bound === NONE ? NONE : isMet ? (aim !== undefined && meets(aim) ? 'met (aim)' : 'met') : '**missed**';
  return [
    workload.title,
    what,
    shown(found.median),
    `${shown(found.least)} – ${shown(found.greatest)}`,
    target,
    result,
  ];
}

/** Rows of one workload in the table of figures: medians of the rounds. */
export function figureRows(workload, results) {
  return [...results].map(([name, { samples, failures }]) => {
    if (failures.length > 0) return [workload.title, name, failures[0], NONE, NONE, NONE, NONE];
    const median = (metric) => spread(samples.map((sample) => sample[metric]))?.median;
    const metrics = ['perSecond', 'p50Ms', 'p99Ms', 'cpuMicros', 'memoryMb'];
    return [workload.title, name, ...metrics.map((metric) => shown(median(metric)))];
  });
}

const COMPARISONS = ['workload', 'ratio or figure', 'median', 'rounds', 'target', ''];
const FIGURES = ['workload', 'variant', 'per second', 'p50 ms', 'p99 ms', 'CPU µs', 'memory MB'];

export async function reportOf({ machine, command, comparisons, figures, skipped }) {
  const parts = [
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}`,
    machine.map((line) => `- ${line}`).join('\n'),
    table(COMPARISONS, comparisons),
    table(FIGURES, figures),
    ...(skipped.length > 0 ? [skipped.map((line) => `- not measured: ${line}`).join('\n')] : []),
  ];
  return format(parts.join('\n\n'), { parser: 'markdown', printWidth: 120 });
}

/** Replaces the results in docs/reference/performance.md. */
export async function writeReport(report) {
  const text = await readFile(DOCUMENT, 'utf8');
  const [from, to] = [text.indexOf(FROM), text.indexOf(TO)];
  if (from < 0 || to < from) throw new Error('docs/reference/performance.md has no markers for the results');
  await writeFile(DOCUMENT, `${text.slice(0, from + FROM.length)}\n\n${report.trim()}\n\n${text.slice(to)}`);
}

export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...withoutRepeatedTitles(rows).map(line)].join('\n');
}

function withoutRepeatedTitles(rows) {
  return rows.map((cells, index) => (cells[0] === rows[index - 1]?.[0] ? ['', ...cells.slice(1)] : cells));
}

export function shown(value) {
  if (value === undefined || Number.isNaN(value)) return NONE;
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en');
  return value.toFixed(value < 10 ? 2 : 1);
}
