import { describe, expect, it } from '@jest/globals';
import { ChangeReader } from '../../src/storage/changes/change-reader.js';

const AFTER = { position: 50n, id: 7n };
const QUERY = { limit: 10, order: 'at', filter: null } as const;
const KNOWN = { position: '50', id: '7', is_found: false, is_last: true, read: 1, patch: '[]' };

/** A log whose pages are these rows in turn, on a server whose offset was raised before the question. */
function readerOf(pages: readonly object[][]) {
  const texts: string[] = [];
  const query = (sent: string | { readonly text: string }) => {
    const text = typeof sent === 'string' ? sent : sent.text;
    if (text.includes('"isNew"')) return Promise.resolve({ rows: [{ isNew: false }] });
    texts.push(text);
    return Promise.resolve({ rows: pages[texts.length - 1] ?? [] });
  };
  return { texts, reader: new ChangeReader({ query } as never) };
}

describe('a position that the log does not have', () => {
  it('is lost where a second reading does not have it either', async () => {
    const { reader, texts } = readerOf([[], []]);
    expect([await reader.page(AFTER, QUERY, 5), texts.length]).toEqual([null, 2]);
  });

  it('is not lost where the offset was raised between the reading and the question for it', async () => {
    const { reader, texts } = readerOf([[], [KNOWN]]);
    expect([await reader.page(AFTER, QUERY, 5), texts.length]).toEqual([
      expect.objectContaining({ changes: [], reached: AFTER, end: true }),
      2,
    ]);
  });
});
