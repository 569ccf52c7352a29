/**
 * Percent-encoding (RFC 3986 2.1) of UTF-8 (RFC 3629). The functions of the platform are not used, because they throw
 * on lone surrogates, escape more characters than these forms do, and do not return the position of a fault.
 *
 * pct-encoded = "%" HEXDIG HEXDIG
 *
 * A text is split at its raw delimiters before each piece is decoded once (RFC 3986 2.4). All functions except `encode`
 * expect ASCII in which every "%" starts an escape, as `scanUri` verifies.
 */
import { classesOf, hexValue, LOWER_CASE, span, UNRESERVED } from './ascii.js';
import { joinRepairs, NO_REPAIRS, repair, type Repairs } from '../repairs.js';
import { StringBuilder } from './string-builder.js';

const PERCENT = 0x25;
const SHORT_TEXT = 96;
const ESCAPE_DECODED = /* @__PURE__ */ repair('ESCAPE_DECODED');
const ESCAPE_UPPERCASED = /* @__PURE__ */ repair('ESCAPE_UPPERCASED');

/**
 * Decodes a piece as strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
 * @returns the text, or for ill-formed UTF-8 the index of the "%" at which the sequence starts.
 */
export function decode(input: string, start: number, end: number): string | number {
  const first = nextPercent(input, start, end);
  if (first === end) return input.slice(start, end);
  let text = input.slice(start, first);
  // For a short text, a builder costs more than the pieces that it saves.
  const long = end - first > SHORT_TEXT ? new StringBuilder(text) : null;
  for (let i = first; i < end;) {
    let point = input.charCodeAt(i++);
    if (point === PERCENT) {
      const length = sequenceLength(input, i - 1, end);
      if (length === 0) return i - 1;
      // The first byte of a sequence has 7, 5, 4 or 3 bits of the code point, each following byte 6 (RFC 3629 3).
      point = byteAt(input, i - 1) & (length === 1 ? 0x7f : 0xff >> (length + 1));
      for (let n = 1; n < length; n++) point = (point << 6) | (byteAt(input, i - 1 + n * 3) & 0x3f);
      i += length * 3 - 1;
    }
    if (long === null) text += String.fromCodePoint(point);
    else long.point(point);
  }
  return long === null ? text : long.finish();
}

/** The index in `input` of the character that `decode(input, start, ...)` wrote at `index` of its result. */
export function rawOffset(input: string, start: number, index: number): number {
  let i = start;
  let left = index;
  while (left > 0 && i < input.length) {
    if (input.charCodeAt(i) !== PERCENT) {
      i++;
      left--;
      continue;
    }
    const length = sequenceLength(input, i, input.length) || 1;
    left -= length === 4 ? 2 : 1;
    if (left >= 0) i += length * 3;
  }
  return i;
}

/** Escapes all characters outside the `raw` classes as UTF-8. @param text without lone surrogates. */
export function encode(text: string, raw: number): string {
  const first = span(text, 0, text.length, raw);
  if (first === text.length) return text;
  const encoded = new StringBuilder(text.slice(0, first));
  for (let i = first; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if ((classesOf(code) & raw) !== 0) {
      encoded.unit(code);
    } else if (code < 0xd800 || code > 0xdbff) {
      encoded.triplets(code);
    } else {
      encoded.triplets(text.codePointAt(i) ?? code);
      i++;
    }
  }
  return encoded.finish();
}

/** Normalizes escapes (RFC 3986 6.2.2): decodes escapes of unreserved characters, and converts all others to upper case. */
export function normalizeEscapes(input: string, start: number, end: number): string {
  if (escapeRepairs(input, start, end, UNRESERVED) === NO_REPAIRS) return input.slice(start, end);
  const first = nextPercent(input, start, end);
  const text = new StringBuilder(input.slice(start, first));
  for (let i = first; i < end; i++) {
    const code = input.charCodeAt(i);
    if (code !== PERCENT) {
      text.unit(code);
      continue;
    }
    const byte = byteAt(input, i);
    if ((classesOf(byte) & UNRESERVED) !== 0) text.unit(byte);
    else text.triplet(byte);
    i += 2;
  }
  return text.finish();
}

/** The repairs of the escapes of a piece when the `raw` classes are decoded and other escapes converted to upper case. */
export function escapeRepairs(input: string, start: number, end: number, raw: number): Repairs {
  let decoded = NO_REPAIRS;
  let upper = NO_REPAIRS;
  for (let i = start; i < end; i++) {
    if (input.charCodeAt(i) !== PERCENT) continue;
    const digits = classesOf(input.charCodeAt(i + 1)) | classesOf(input.charCodeAt(i + 2));
    if ((classesOf(byteAt(input, i)) & raw) !== 0) decoded = ESCAPE_DECODED;
    else if ((digits & LOWER_CASE) !== 0) upper = ESCAPE_UPPERCASED;
    i += 2;
  }
  return joinRepairs(upper, decoded);
}

function byteAt(input: string, percent: number): number {
  return (hexValue(input.charCodeAt(percent + 1)) << 4) | hexValue(input.charCodeAt(percent + 2));
}

/** The number of escapes of the UTF-8 sequence at `i`; 0 for an ill-formed one (RFC 3629 4). */
function sequenceLength(input: string, i: number, end: number): number {
  const first = byteAt(input, i);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  const low = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const high = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (!isTrail(input, i + 3, end, low, high)) return 0;
  for (let n = 2; n < length; n++) if (!isTrail(input, i + n * 3, end, 0x80, 0xbf)) return 0;
  return length;
}

function isTrail(input: string, i: number, end: number, low: number, high: number): boolean {
  if (i >= end || input.charCodeAt(i) !== PERCENT) return false;
  const byte = byteAt(input, i);
  return byte >= low && byte <= high;
}

function nextPercent(input: string, start: number, end: number): number {
  let i = start;
  while (i < end && input.charCodeAt(i) !== PERCENT) i++;
  return i;
}
