/**
 * Builds a text in linear time. Concatenating each character would leave the engine as many pieces as characters; this
 * class writes code units into a chunk and decodes them together.
 *
 * All builders share one chunk, so a text must be complete before the next one is started.
 */
const CHUNK = /* @__PURE__ */ new Uint16Array(8192);
const SHORT_TEXT = 48;
/** Maximum number of units that one call writes: a code point as four escapes. */
const LONGEST = 12;
/** Decodes the chunk, which has the byte order of the machine; little-endian is assumed. */
const UNITS = /* @__PURE__ */ new TextDecoder('utf-16le', { ignoreBOM: true });

export class StringBuilder {
  private used = 0;

  constructor(private text: string) {}

  /** Writes a code unit that is not a surrogate. */
  unit(code: number): void {
    if (this.used > CHUNK.length - LONGEST) this.flush();
    CHUNK[this.used++] = code;
  }

  point(code: number): void {
    if (code < 0x10000) {
      this.unit(code);
      return;
    }
    this.unit(0xd7c0 + (code >> 10));
    // The second half fits into the chunk, which is not flushed between the two halves.
    CHUNK[this.used++] = 0xdc00 | (code & 0x3ff);
  }

  /** Writes a byte as an escape in upper case. */
  triplet(byte: number): void {
    if (this.used > CHUNK.length - LONGEST) this.flush();
    this.put(byte);
  }

  /** Writes a code point as the escapes of its UTF-8 bytes. */
  triplets(code: number): void {
    if (this.used > CHUNK.length - LONGEST) this.flush();
    if (code < 0x80) {
      this.put(code);
      return;
    }
    if (code < 0x800) this.put(0xc0 | (code >> 6));
    else {
      if (code < 0x10000) this.put(0xe0 | (code >> 12));
      else {
        this.put(0xf0 | (code >> 18));
        this.put(0x80 | ((code >> 12) & 0x3f));
      }
      this.put(0x80 | ((code >> 6) & 0x3f));
    }
    this.put(0x80 | (code & 0x3f));
  }

  /** The initial text, followed by what was written. */
  finish(): string {
    this.flush();
    return this.text;
  }

  private put(byte: number): void {
    CHUNK[this.used] = 0x25;
    CHUNK[this.used + 1] = hexDigit(byte >> 4);
    CHUNK[this.used + 2] = hexDigit(byte & 15);
    this.used += 3;
  }

  private flush(): void {
    if (this.used > SHORT_TEXT) this.text += UNITS.decode(CHUNK.subarray(0, this.used));
    // The platform's decoder has a high cost for each call.
    else for (let i = 0; i < this.used; i++) this.text += String.fromCharCode(CHUNK[i] ?? 0);
    this.used = 0;
  }
}

function hexDigit(value: number): number {
  return value + (value < 10 ? 0x30 : 0x37);
}
