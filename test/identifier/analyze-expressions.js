/**
 * Reads regular expressions (literals as JSON) from the standard input and prints the verdict of recheck on each: `safe`,
 * `vulnerable` or `unknown`. A process of its own, because the JavaScript of recheck, which replaces its program on platforms
 * without one, takes six times as long in the sandbox of a test.
 */
import { text } from 'node:stream/consumers';
import recheck from 'recheck';

// The number of characters read decides, without a limit of time: a busy machine does not change the verdict.
const LIMITS = { timeout: null, attackTimeout: null, incubationTimeout: null };

const literals = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(await Promise.all(literals.map(classify))));

async function classify(literal) {
  const end = literal.lastIndexOf('/');
  const { status } = await recheck.check(literal.slice(1, end), literal.slice(end + 1), LIMITS);
  return status;
}
