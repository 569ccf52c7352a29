/**
 * Builds a text code unit by code unit in time proportional to its length. Adding to a string for every character would
 * leave the engine with as many pieces as characters.
 */
const CHUNK = 1024;
const HEX = '0123456789ABCDEF';

export class TextWriter {
  private readonly units: number[] = [];
  private used = 0;
  private text = '';

  /** Writes a UTF-16 code unit. */
  unit(code: number): void {
    // A full chunk is as many arguments as one call is ever given.
    if (this.used === CHUNK) this.flush();
    this.units[this.used++] = code;
  }

  /** Writes a code point. */
  point(code: number): void {
    if (code < 0x10000) {
      this.unit(code);
    } else {
      this.unit(0xd7c0 + (code >> 10));
      this.unit(0xdc00 | (code & 0x3ff));
    }
  }

  /** Writes an octet as its triplet, in capitals. */
  triplet(octet: number): void {
    this.unit(0x25);
    this.unit(HEX.charCodeAt(octet >> 4));
    this.unit(HEX.charCodeAt(octet & 15));
  }

  /** Writes a code point as the triplets of its UTF-8 octets. */
  triplets(code: number): void {
    if (code < 0x80) {
      this.triplet(code);
      return;
    }
    if (code < 0x800) this.triplet(0xc0 | (code >> 6));
    else {
      if (code < 0x10000) this.triplet(0xe0 | (code >> 12));
      else {
        this.triplet(0xf0 | (code >> 18));
        this.triplet(0x80 | ((code >> 12) & 0x3f));
      }
      this.triplet(0x80 | ((code >> 6) & 0x3f));
    }
    this.triplet(0x80 | (code & 0x3f));
  }

  /** What was written. */
  finish(): string {
    this.flush();
    return this.text;
  }

  private flush(): void {
    const { units, used } = this;
    this.text += String.fromCharCode(...(used === units.length ? units : units.slice(0, used)));
    this.used = 0;
  }
}
