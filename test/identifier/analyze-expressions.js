/**
 * Reads regular expressions (literals as JSON) from the standard input and prints the verdict of recheck on each: `safe`,
 * `vulnerable` or `unknown`. A process of its own, because the analysis takes six times as long in the sandbox of a test.
 */
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';

// The entry point for browsers is plain JavaScript; that for Node.js starts a worker, a native program or Java.
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js');

const literals = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(literals.map(classify)));

function classify(literal) {
  const end = literal.lastIndexOf('/');
  return checkSync(literal.slice(1, end), literal.slice(end + 1), { timeout: null }).status;
}
