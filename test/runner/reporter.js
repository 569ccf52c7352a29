/** Prints each file when it has ended, failures with their reasons, and one line at the end. */
import { readFileSync, writeFileSync } from 'node:fs';
import { nameOf } from './sequencer.js';

/** Jest's own runner limits the time of a test; jest-light-runner does not. */
const FILE_LIMIT_MS = 15 * 60_000;

const TIMINGS = new URL('../timings.json', import.meta.url);

export default class Reporter {
  ended = 0;
  counts = { passed: 0, failed: 0, skipped: 0 };
  failed = [];
  reasons = new Map();
  seconds = {};
  timers = new Map();

  onRunStart({ numTotalTestSuites }) {
    this.files = numTotalTestSuites;
    this.began = performance.now();
    // Jest also ends if a test waits for nothing that keeps the process alive.
    process.exitCode = 1;
  }

  onTestFileStart({ path }) {
    const end = () => {
      console.error(`${nameOf(path)} has not ended after ${FILE_LIMIT_MS / 60_000} minutes`);
      process.exit(1);
    };
    // The processes of unit tests do not keep Jest alive; without a timer it would end, successfully, while all of them are busy.
    this.timers.set(path, { began: performance.now(), timer: setTimeout(end, FILE_LIMIT_MS) });
  }

  onTestFileResult({ path, context }, result) {
    const { began, timer } = this.timers.get(path);
    clearTimeout(timer);
    const name = nameOf(path);
    const seconds = (performance.now() - began) / 1000;
    const { numPassingTests, numFailingTests, testExecError } = result;
    const hasFailed = numFailingTests > 0 || (testExecError ?? undefined) !== undefined;
    const skipped = result.testResults.filter(({ status }) => status === 'pending');
    this.ended += 1;
    this.seconds[name] = Math.round(seconds * 10) / 10;
    this.counts.passed += numPassingTests;
    this.counts.failed += hasFailed ? Math.max(1, numFailingTests) : 0;
    this.counts.skipped += skipped.length;
    for (const { ancestorTitles, title } of skipped) this.note(name, [...ancestorTitles, title].join(' '));
    const position = `[${String(this.ended).padStart(String(this.files).length)}/${this.files}]`;
    const project = context.config.displayName?.name ?? 'tests';
    console.log(`${position} ${project} ${hasFailed ? 'FAILED ' : ''}${name} ${seconds.toFixed(1)} s`);
    if (!hasFailed) return;
    this.failed.push(name);
    console.log(result.failureMessage);
  }

  /** A test that may be skipped says in its title what it needs. */
  note(name, title) {
    const reason = /\bneeds [^()]+/.exec(title)?.[0] ?? `${name} says why`;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
  }

  onRunComplete(_, { testResults, numTotalTestSuites, numPendingTestSuites }) {
    const { passed, failed, skipped } = this.counts;
    if (process.env.WRITE_TIMINGS === '1' && failed === 0 && numTotalTestSuites > 1) this.writeTimings(testResults);
    if (this.failed.length > 0) console.log(`\nFailed:\n${this.failed.map((name) => `  ${name}`).join('\n')}`);
    const why = [...this.reasons].map(([reason, count]) => `${count} ${reason}`).join(', ');
    const minutes = ((performance.now() - this.began) / 60_000).toFixed(1);
    const files = `${this.ended - numPendingTestSuites} files in ${minutes} minutes`;
    console.log(`\n${files}`);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped${why === '' ? '' : `: ${why}`}`);
    process.exitCode = 0;
  }

  writeTimings() {
    const old = JSON.parse(readFileSync(TIMINGS, 'utf8'));
    const entries = Object.entries({ ...old, ...this.seconds }).sort(([one], [other]) => (one < other ? -1 : 1));
    writeFileSync(TIMINGS, `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  }
}
