import { MAX_EXPORTED_BYTES } from '../body/line-reader.js';

const TAB = 0x09;
const LF = 0x0a;
const CR = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const SEMICOLON = 0x3b;

/** UTF-8 byte order mark, which may precede the first cell. */
const BYTE_ORDER_MARK: ReadonlySet<number> = new Set([0xef, 0xbb, 0xbf]);

/** Position of the parser: before a cell, in an unquoted or quoted cell, or after a quotation mark in a quoted cell. */
type Place = 'start' | 'plain' | 'quoted' | 'mark';

/**
 * Finds the ends of rows (RFC 4180): line breaks outside quoted cells. The bytes of quotation marks and separators occur in no other
 * character of UTF-8 and Windows-1252.
 */
export class RowEnds {
  private separators: ReadonlySet<number> = new Set([COMMA, SEMICOLON, TAB]);
  private state: Place = 'start';
  private at = 0;
  private isFirst = true;

  separateBy(separator: string): void {
    this.separators = new Set(Buffer.from(separator));
  }

  endIn(bytes: Buffer): number {
    const end = this.find(bytes);
    if (end < 0) return end;
    [this.state, this.at, this.isFirst] = ['start', 0, false];
    return end;
  }

  private find(bytes: Buffer): number {
    for (; this.at < bytes.length; this.at += 1) {
      // A row that is too long is cut, so that its reader rejects it before more of it arrives.
      if (this.at > MAX_EXPORTED_BYTES) return this.at;
      const byte = bytes[this.at] ?? 0;
      if (this.state === 'quoted') {
        if (byte === QUOTE) this.state = 'mark';
      } else if (byte === LF) return this.at;
      else if (byte === CR) {
        // A line feed may follow in the next piece of the body.
        if (this.at + 1 === bytes.length) return -1;
        return bytes[this.at + 1] === LF ? this.at + 1 : this.at;
      } else this.state = this.after(byte);
    }
    return -1;
  }

  private after(byte: number): Place {
    if (this.separators.has(byte)) return 'start';
    if (byte === QUOTE && this.state !== 'plain') return 'quoted';
    return this.isFirst && this.state === 'start' && BYTE_ORDER_MARK.has(byte) ? 'start' : 'plain';
  }
}
