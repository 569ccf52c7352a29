import { randomBytes } from 'node:crypto';
import type pg from 'pg';

const SECRET_BYTES = 32;

/** Returns the secret from which the keys of cursors are derived. All instances share it, and a backup contains it. */
export async function loadCursorSecret(pool: pg.Pool): Promise<Buffer> {
  await pool.query('INSERT INTO cursor_secret (value) VALUES ($1) ON CONFLICT DO NOTHING', [randomBytes(SECRET_BYTES)]);
  const { rows } = await pool.query<{ value: Buffer }>('SELECT value FROM cursor_secret');
  if (rows[0] === undefined) throw new TypeError('the secret was inserted and was not found');
  return rows[0].value;
}
