import { createHash } from 'node:crypto';

/**
 * A deterministic stream of random choices (the generator sfc32). Each request has its own stream, so that it does not
 * depend on the number of earlier requests.
 */
export class Random {
  constructor(seed) {
    const digest = createHash('sha256').update(seed).digest();
    this.state = Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(i * 4));
  }

  /** A number from 0 to 1, excluding 1. */
  next() {
    const s = this.state;
    const sum = (s[0] + s[1] + s[3]) >>> 0;
    s[3] += 1;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + sum;
    return sum / 2 ** 32;
  }

  /** An integer from `least` to `most`, both included. */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A member of a list, with probability by `weight` (default 1). */
  weighted(list) {
    const total = list.reduce((sum, { weight = 1 }) => sum + weight, 0);
    let left = this.next() * total;
    return list.find(({ weight = 1 }) => (left -= weight) < 0) ?? list[0];
  }
}
