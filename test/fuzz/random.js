import { createHash } from 'node:crypto';

/**
 * A stream of choices that is the same for the same seed (the generator sfc32). Each request has its own stream, so a
 * request stays what it is when another one is added before it.
 */
export class Random {
  constructor(seed) {
    const digest = createHash('sha256').update(seed).digest();
    this.state = Uint32Array.from({ length: 4 }, (_, i) => digest.readUInt32LE(i * 4));
  }

  /** A number from 0 up to, not including, 1. */
  next() {
    const s = this.state;
    const sum = (s[0] + s[1] + s[3]) >>> 0;
    s[3] += 1;
    s[0] = s[1] ^ (s[1] >>> 9);
    s[1] = s[2] + (s[2] << 3);
    s[2] = ((s[2] << 21) | (s[2] >>> 11)) + sum;
    return sum / 2 ** 32;
  }

  /** A whole number from `least` to `most`, both included. */
  int(least, most) {
    return least + Math.floor(this.next() * (most - least + 1));
  }

  chance(probability) {
    return this.next() < probability;
  }

  pick(list) {
    return list[Math.floor(this.next() * list.length)];
  }

  /** A member of a list whose members carry their `weight` (1 if they do not say). */
  weighted(list) {
    const total = list.reduce((sum, { weight = 1 }) => sum + weight, 0);
    let left = this.next() * total;
    return list.find(({ weight = 1 }) => (left -= weight) < 0) ?? list[0];
  }
}
