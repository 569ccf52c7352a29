/** What the service acknowledged, compared with the tables and the feed. */
export class Ledger {
  constructor() {
    /** By the target of its mint, which is different for each requested identifier. */
    this.minted = new Map();
    /** By the identifier: the version and the target of each acknowledged change. */
    this.changed = new Map();
  }

  mint(target, identifier) {
    const earlier = this.minted.get(target);
    if (earlier !== undefined) throw new Error(`${target} was acknowledged as ${earlier} and ${identifier}`);
    this.minted.set(target, identifier);
  }

  change(identifier, version, target) {
    const changes = this.changed.get(identifier) ?? [];
    this.changed.set(identifier, [...changes, { version, target }]);
  }

  get acknowledgedChanges() {
    return [...this.changed.values()].flat().length;
  }

  /**
   * @param rows `identifier`, `target` and `version` of all stored identifiers.
   * @returns what was acknowledged and is not stored (`lost`), and targets that have two identifiers or another one than
   *   acknowledged (`doubled`).
   */
  compareWithRows(rows) {
    const stored = new Map(rows.map((row) => [row.identifier, row]));
    const lost = [...this.minted].filter(([, identifier]) => !stored.has(identifier)).map(([target]) => target);
    for (const [identifier, changes] of this.changed) {
      const row = stored.get(identifier);
      for (const { version, target } of changes) {
        const isThere =
          row !== undefined && (row.version > version || (row.version === version && row.target === target));
        if (!isThere) lost.push(`version ${version} of ${identifier}`);
      }
    }
    const counts = new Map();
    for (const { target } of rows) counts.set(mintTarget(target), (counts.get(mintTarget(target)) ?? 0) + 1);
    const doubled = [...this.minted.keys()].filter((target) => (counts.get(target) ?? 0) > 1);
    return { lost, doubled };
  }

  /** @param seen the identifier and version of each event, as `identifier version`. @returns the acknowledged ones that are absent. */
  missingIn(seen) {
    const expected = [...this.minted.values()].map((identifier) => `${identifier} 1`);
    for (const [identifier, changes] of this.changed) {
      expected.push(...changes.map(({ version }) => `${identifier} ${version}`));
    }
    return expected.filter((event) => !seen.has(event));
  }
}

/** A changed target is that of the mint with a query. */
const mintTarget = (target) => target?.replace(/\?.*$/, '');
