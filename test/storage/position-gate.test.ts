import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const FOLDER = new URL('../../src/storage/', import.meta.url);

describe('a statement that inserts an event at the position of its transaction', () => {
  it('locks the gate of positions, in each file that has one', () => {
    const statements = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts'))
      .flatMap((path) => readFileSync(new URL(path, FOLDER), 'utf8').split('`'))
      .filter((text) => text.includes('INSERT INTO') && text.includes('pg_current_xact_id()::text::bigint'));
    expect(statements.length).toBeGreaterThan(6);
    expect(statements.filter((text) => !text.includes('WITH ${POSITION_GATE}'))).toEqual([]);
  });
});
