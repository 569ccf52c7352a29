import { describe, expect, it } from '@jest/globals';
import { ChangeReader } from '../../src/storage/changes/change-reader.js';

const AFTER = { position: 50n, id: 7n };
const QUERY = { limit: 10, order: 'at', filter: null } as const;

/** A log whose page is empty, on a server whose offset was raised before the question. @param has whether it has the event at `AFTER`. */
function readerOf(has: boolean): ChangeReader {
  const query = (sent: string | { readonly text: string }) => {
    const text = typeof sent === 'string' ? sent : sent.text;
    return Promise.resolve({
      rows: text.includes('"isNew"') ? [{ isNew: false }] : text.includes('AS has') ? [{ has }] : [],
    });
  };
  return new ChangeReader({ query } as never);
}

describe('a position that a page of the log does not have', () => {
  it('is lost where the log does not have it', async () => {
    expect(await readerOf(false).page(AFTER, QUERY, 5)).toBeNull();
  });

  it('is the end of the log where the log has it, as when the offset was raised after the page was read', async () => {
    expect(await readerOf(true).page(AFTER, QUERY, 5)).toMatchObject({ changes: [], reached: AFTER, end: true });
  });
});
