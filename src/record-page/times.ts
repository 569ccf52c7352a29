import { type Markup, markup } from './markup.js';

const WORDS = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  timeZone: 'UTC',
});

/** A time for people and, in its attribute, for programs (RFC 3339), UTC. */
export function shownTime(time: Date): Markup {
  return markup`<time datetime="${time.toISOString()}">${WORDS.format(time).replace(' at ', ', ')} UTC</time>`;
}

/** A day as `2026-11-20`, UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
