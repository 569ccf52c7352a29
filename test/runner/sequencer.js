/** Starts the files that took longest first, so that none of them runs last and alone. */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sequencer from '@jest/test-sequencer';

const FOLDER = fileURLToPath(new URL('..', import.meta.url));
const PATH = new URL('../timings.json', import.meta.url);

/** The path of a test file in test/timings.json. */
export const nameOf = (path) => relative(FOLDER, path).replaceAll('\\', '/');

export default class LongestFirst extends Sequencer {
  /** Files without a time are new: they start in the middle. */
  sort(tests) {
    const seconds = JSON.parse(readFileSync(PATH, 'utf8'));
    const times = Object.values(seconds);
    const unknown = times.reduce((sum, time) => sum + time, 0) / Math.max(1, times.length);
    const timeOf = ({ path }) => seconds[nameOf(path)] ?? unknown;
    return [...tests].sort((one, other) => timeOf(other) - timeOf(one));
  }
}
