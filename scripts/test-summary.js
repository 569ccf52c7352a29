// Reads the output of Jest and prints "N passed, N failed". `npm cit` passes no arguments to the tests, so that Jest cannot
// write JSON. Fails without a count.
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';

const lines = stripVTControlCharacters(await text(process.stdin)).split('\n');
const counts = lines.filter((line) => /^Tests: +.*\d+ total$/.test(line)).at(-1);
if (counts === undefined) {
  console.log('0 passed, 0 failed: the tests did not run');
  process.exitCode = 1;
} else {
  const count = (word) => new RegExp(`(\\d+) ${word}`).exec(counts)?.[1] ?? '0';
  console.log(`${count('passed')} passed, ${count('failed')} failed`);
}
