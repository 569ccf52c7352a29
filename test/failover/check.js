/** The rows of the report for one scenario. */
export class Check {
  rows = [];

  constructor(title) {
    this.title = title;
  }

  get holds() {
    return this.rows.every(({ holds }) => holds);
  }

  /** Prints facts that are not checked. */
  note(...facts) {
    for (const fact of facts) console.log(`  ${fact}`);
  }

  /** Requires an empty list. */
  none(name, list) {
    this.#row(name, list.length, '0', list.length === 0);
    for (const one of list.slice(0, 3)) console.log(`    ${one.slice(0, 200)}`);
  }

  /** Requires that what was acknowledged is stored once and in the feed. */
  complete({ lost, doubled, missing, repeated, failures }) {
    this.none('acknowledged and lost', lost);
    this.none('stored twice', doubled);
    this.none('missing in the feed', missing);
    this.equal('repeated by the feed', repeated, 0);
    this.none('responses that no repeat changes', failures);
  }

  equal(name, value, expected) {
    this.#row(name, value, String(expected), value === expected);
  }

  /** Requires at most `limit`. */
  most(name, value, limit) {
    this.#row(name, value, `at most ${limit}`, value <= limit);
  }

  least(name, value, limit) {
    this.#row(name, value, `at least ${limit}`, value >= limit);
  }

  fail(error) {
    this.#row('the scenario runs', 'no', 'yes', false);
    console.log(error);
  }

  #row(name, value, expected, holds) {
    const shown = typeof value === 'number' && !Number.isInteger(value) ? value.toFixed(1) : String(value);
    this.rows.push({ name, value: shown, expected, holds });
    console.log(`  ${holds ? 'ok  ' : 'FAIL'} ${name}: ${shown} (${expected})`);
  }
}
