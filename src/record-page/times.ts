import { type Markup, markup } from './markup.js';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/**
 * A time for people and, in its attribute, for programs (RFC 3339), UTC. `Intl` would take 20 ms at the first use, and its
 * words differ between versions of Node.js.
 */
export function shownTime(time: Date): Markup {
  const iso = time.toISOString();
  const words = `${time.getUTCDate()} ${MONTHS[time.getUTCMonth()] ?? ''} ${time.getUTCFullYear()}, ${iso.slice(-13, -8)} UTC`;
  return markup`<time datetime="${iso}">${words}</time>`;
}

/** A day as `2026-11-20`, UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
