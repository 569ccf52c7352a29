import type { StoredValue } from '../../registry/stored-value.js';
import { invalidInput } from './handle-fault.js';

type StoredData = StoredValue['data'];

export const MAX_INDEX = 2_147_483_647;

const MAX_DEPTH = 16;

/** C0 control characters other than tab, line feed and carriage return. Texts and bytes that contain one are stored as `base64`. */
const CONTROL = /[^\P{Cc}\t\n\r\u007f-\u009f]/u;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const HEX = /^[0-9A-Fa-f]*$/;
const ADMIN_PERMISSIONS = /^[01]{1,16}$/;
const INTEGER = /^-?[0-9]{1,15}$/;

const PARSERS: Readonly<Record<string, (value: unknown) => StoredData>> = {
  string: (value) => textData(Buffer.from(textIn(value, 'data.value'))),
  base64: (value) => textData(base64Bytes(textIn(value, 'data.value'))),
  hex: (value) => textData(hexBytes(textIn(value, 'data.value'))),
  admin: (value) => ({ format: 'admin', value: adminIn(value) }),
  vlist: (value) => ({ format: 'vlist', value: referencesIn(value) }),
  site: (value) => ({ format: 'site', value: jsonObject(value) }),
  key: (value) => ({ format: 'key', value: jsonObject(value) }),
};

/** Parses the data of a value: an object with `format` and `value`, or a scalar, which is read as a text. @throws HandleFault code 4 */
export function parseData(data: unknown): StoredData {
  if (Array.isArray(data)) throw invalidInput('data must be an object or a text');
  if (!isObject(data)) return textData(Buffer.from(textIn(data, 'data')));
  const { format, value } = data;
  const parse = typeof format === 'string' && Object.hasOwn(PARSERS, format) ? PARSERS[format] : undefined;
  if (parse === undefined) throw invalidInput(`Unexpected type ${typeof format === 'string' ? format : ''}`.trimEnd());
  return parse(value);
}

/** The number from 0 to 2^31 - 1 in a parameter of a request; null for any other text. */
export function numberIn(text: string | null): number | null {
  const number = /^[0-9]{1,10}$/.test(text ?? '') ? Number(text) : Infinity;
  return number <= MAX_INDEX ? number : null;
}

/** Reads a number, which is truncated to an integer, or a text of up to 15 digits with an optional "-". @throws HandleFault code 4 */
export function integerIn(value: unknown, name: string): number {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string' && INTEGER.test(value)) return Number(value);
  throw invalidInput(`${name} must be a number`);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a scalar. @throws HandleFault code 4, also for half of a surrogate pair, which UTF-8 does not encode */
export function textIn(value: unknown, name: string): string {
  if (typeof value === 'string' && value.isWellFormed()) return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw invalidInput(`${name} must be a well-formed text`);
}

function textData(bytes: Buffer): StoredData {
  const text = bytes.toString();
  const isText = !CONTROL.test(text) && Buffer.from(text).equals(bytes);
  return isText ? { format: 'string', value: text } : { format: 'base64', value: bytes.toString('base64') };
}

function base64Bytes(text: string): Buffer {
  if (!BASE64.test(text)) throw invalidInput('data.value must be base64');
  return Buffer.from(text, 'base64');
}

function hexBytes(text: string): Buffer {
  if (text.length % 2 > 0 || !HEX.test(text)) throw invalidInput('data.value must be hexadecimal digits');
  return Buffer.from(text, 'hex');
}

function adminIn(value: unknown): object {
  const { permissions } = isObject(value) ? value : {};
  if (typeof permissions !== 'string' || !ADMIN_PERMISSIONS.test(permissions))
    throw invalidInput('data.value.permissions must be up to 16 digits 0 or 1');
  return { ...referenceIn(value), permissions: permissions.padStart(12, '0') };
}

function referencesIn(value: unknown): object[] {
  if (!Array.isArray(value)) throw invalidInput('data.value must be a list');
  return value.map(referenceIn);
}

function referenceIn(value: unknown): { readonly handle: string; readonly index: number } {
  if (!isObject(value)) throw invalidInput('a reference must be an object with handle and index');
  const index = integerIn(value.index, 'index');
  if (index < 0 || index > MAX_INDEX) throw invalidInput('the index of a reference must not be negative');
  return { handle: storableText(textIn(value.handle, 'handle')), index };
}

function jsonObject(value: unknown): object {
  if (!isObject(value)) throw invalidInput('data.value must be an object');
  requireStorable(value, MAX_DEPTH);
  return value;
}

/** PostgreSQL stores neither U+0000 nor lone surrogates. @throws HandleFault code 4 */
export function storableText(text: string): string {
  if (!text.includes('\0') && Buffer.from(text).toString() === text) return text;
  throw invalidInput('texts must be well-formed and without U+0000');
}

function requireStorable(value: unknown, depth: number): void {
  if (depth === 0) throw invalidInput('data.value is nested too deeply');
  if (typeof value === 'string') storableText(value);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    storableText(name);
    requireStorable(member, depth - 1);
  }
}
