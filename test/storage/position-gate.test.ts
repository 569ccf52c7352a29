import { readFileSync, readdirSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { IMPORT } from '../../src/storage/identifiers/import-statement.js';
import {
  INSERT_MANY,
  INSERT_ONE,
  INSERT_WITH_MORE,
  REGISTER_ONE,
} from '../../src/storage/identifiers/insert-statement.js';

const FOLDER = new URL('../../src/storage/', import.meta.url);
const HAS_POSITION = 'pg_current_xact_id()::text::bigint';

describe('a statement that inserts an event at the position of its transaction', () => {
  it.each([INSERT_ONE.text, REGISTER_ONE.text, INSERT_MANY, INSERT_WITH_MORE, IMPORT])(
    'locks the gate: %.40s',
    (text) => {
      expect(text.split('INSERT INTO identifier ').length).toBeGreaterThan(1);
      expect(text).toContain(HAS_POSITION);
      expect(text.trim()).toMatch(/^WITH position_gate_lock AS \(UPDATE position_gate /);
    },
  );

  it('locks the gate of positions, in each other file that has one', () => {
    const statements = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.ts') && !/(insert|import)-statement/.test(path))
      .flatMap((path) => readFileSync(new URL(path, FOLDER), 'utf8').split('`'))
      .filter((text) => text.includes('INSERT INTO') && text.includes(HAS_POSITION));
    expect(statements.length).toBeGreaterThan(1);
    expect(statements.filter((text) => !text.includes('WITH ${POSITION_GATE}'))).toEqual([]);
  });
});
