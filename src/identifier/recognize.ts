/** Temporary face of recognition; widened next. */
import { fail, failAt, type Failure, ok, type Success } from './syntax-fault.js';
import type { Charset } from './printable.js';
import { type Kind, readAs, type Reading } from './reading.js';
import type { Resolver } from './resolver.js';
import { repair, NO_REPAIRS } from './repairs.js';

export interface RecognizeOptions {
  readonly resolver?: Resolver | undefined;
  readonly charset?: Charset | undefined;
}

/** A refusal, with the form that the text came closest to; null when it resembles none. */
export interface Unrecognized extends Failure {
  readonly kind: Kind | null;
}

export type Recognition = Success<Reading> | Unrecognized;

/** Reads a text as whatever it is. */
export function recognize(input: string, options: RecognizeOptions = {}): Recognition {
  const text = input.trim();
  const lead = input.indexOf(text);
  const kinds: readonly Kind[] = text.startsWith('info:')
    ? ['info-hdl', 'fedora-uri', 'fedora-dissemination']
    : ['hdl-uri', 'http-uri', 'uuid', 'fedora-pid', 'cordra', 'handle'];
  let closest: Unrecognized | null = null;
  for (const kind of kinds) {
    const read = readAs(text, kind, options);
    if (read.ok) return ok(read.value, read.repairs | (text === input ? NO_REPAIRS : repair('WHITESPACE_TRIMMED')));
    closest = { ...failAt(read, lead + read.fault.offset), kind };
  }
  return closest ?? { ...fail('NOT_RECOGNIZED', 0, 'R-28', 'nothing here'), kind: null };
}
