/**
 * Prints a random sample of the lines of the TypeScript files of a folder, as ranges for `npm run mutation -- --mutate`. The same
 * arguments give the same sample as long as the files are the same.
 *
 *     npm run mutation -- --mutate "$(node scripts/mutation-sample.js packages/identifier/src 0.16)"
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const [folder, share] = process.argv.slice(2);
if (folder === undefined || !(Number(share) > 0)) {
  console.error('usage: node scripts/mutation-sample.js FOLDER SHARE, with a share such as 0.16');
  process.exit(2);
}

/** Lines without mutants: empty lines, comments, imports and re-exports. */
const WITHOUT_MUTANTS = /^\s*($|\*|\/\*|\/\/|import\b|export \{)/;

/** A linear congruential generator with the parameters of Numerical Recipes, because Math.random has no seed. */
let state = 20_261_122;
function random() {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort();
const ranges = files.flatMap((name) => {
  const path = join(folder, name);
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line, index) =>
      random() < Number(share) && !WITHOUT_MUTANTS.test(line)
        ? [`${path}:${index + 1}:0-${index + 1}:${line.length}`]
        : [],
    );
});
console.log(ranges.join(','));
