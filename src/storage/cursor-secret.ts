import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import pg from 'pg';

const SECRET_BYTES = 32;

/** The secret from which the keys of cursors are derived, shared by all instances and restored with a backup. */
@Injectable()
export class CursorSecret {
  constructor(@Inject(pg.Pool) private readonly pool: pg.Pool) {}

  async load(): Promise<Buffer> {
    await this.pool.query('INSERT INTO cursor_secret (value) VALUES ($1) ON CONFLICT DO NOTHING', [
      randomBytes(SECRET_BYTES),
    ]);
    const { rows } = await this.pool.query<{ value: Buffer }>('SELECT value FROM cursor_secret');
    if (rows[0] === undefined) throw new TypeError('the secret was inserted and was not found');
    return rows[0].value;
  }
}
