/**
 * Builds an ASCII text character by character in time proportional to its length. Adding to a string for every character
 * would leave the engine with as many pieces as characters; here they are octets first, and a text a chunk at a time.
 *
 * All writers share one chunk, so a text is begun and finished before the next one is begun.
 */
const CHUNK = new Uint8Array(8192);
/** A text up to this length is put together by hand. */
const SHORT_TEXT = 48;
/** The longest that one call writes: four octets as triplets. */
const LONGEST = 12;
const HEX = new TextEncoder().encode('0123456789ABCDEF');
const ASCII = new TextDecoder();

export class StringBuilder {
  private used = 0;

  constructor(private text: string) {}

  /** Writes a character. */
  unit(code: number): void {
    if (this.used > CHUNK.length - LONGEST) this.flush();
    CHUNK[this.used++] = code;
  }

  /** Writes an octet as its triplet, in capitals. */
  triplet(octet: number): void {
    if (this.used > CHUNK.length - LONGEST) this.flush();
    this.put(octet);
  }

  /** Writes a code point as the triplets of its UTF-8 octets. */
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

  /** The text that was begun with, and behind it what was written. */
  finish(): string {
    this.flush();
    return this.text;
  }

  private put(octet: number): void {
    CHUNK[this.used] = 0x25;
    CHUNK[this.used + 1] = HEX[octet >> 4] ?? 0;
    CHUNK[this.used + 2] = HEX[octet & 15] ?? 0;
    this.used += 3;
  }

  private flush(): void {
    if (this.used > SHORT_TEXT) this.text += ASCII.decode(CHUNK.subarray(0, this.used));
    // The platform's decoder is fast for each octet but slow to call.
    else for (let i = 0; i < this.used; i++) this.text += String.fromCharCode(CHUNK[i] ?? 0);
    this.used = 0;
  }
}
