import type pg from 'pg';
import type { Config } from '../config/config.js';

/** What a check found. The detail names what to do, unless the state is `ok`. */
export interface Found {
  /** `error`: the service cannot work, or data is damaged. `warning`: the service works now, but may fail later. */
  readonly state: 'ok' | 'warning' | 'error';
  readonly detail: string;
}

export interface Finding extends Found {
  readonly check: string;
}

export interface Examined {
  readonly config: Config;
  /** The URL of the database, which can be the running embedded PostgreSQL. */
  readonly url: string;
  /** A session that rejects writes. */
  readonly session: pg.Client;
}

const foundAs =
  (state: Found['state']) =>
  (...details: string[]): Found[] =>
    details.map((detail) => ({ state, detail }));

export const ok = foundAs('ok');
export const warning = foundAs('warning');
export const error = foundAs('error');

export async function read<R extends object>(
  { session }: Pick<Examined, 'session'>,
  text: string,
  values: unknown[] = [],
): Promise<R[]> {
  return (await session.query<R>(text, values)).rows;
}
