import type { StoredValue } from '../../registry/stored-value.js';
import { type HandleFault, RESPONSE_CODE } from './handle-fault.js';
import { valueJson } from './value-json.js';

/** A response in the JSON of the HTTP API of Handle.Net. */
export interface HandleResponse {
  readonly status: number;
  readonly body: object;
}

/** @param handle as the client wrote it; clients compare it with their request. */
export function valuesResponse(handle: string, values: readonly StoredValue[]): HandleResponse {
  const { success, valueNotFound } = RESPONSE_CODE;
  if (values.length === 0) return { status: 200, body: { responseCode: valueNotFound, values: [], handle } };
  return { status: 200, body: { responseCode: success, handle, values: values.map(valueJson) } };
}

/** @param handle as the client wrote it; empty if the request names none. */
export function faultResponse({ responseCode, message, status }: HandleFault, handle: string): HandleResponse {
  const members = { ...(message !== '' && { message }), ...(handle !== '' && { handle }) };
  return { status, body: { responseCode, ...members } };
}

export const INVALID_INDEX = 'Each index must be a number from 1 to 2147483647.';

const MAX_CALLBACK_LENGTH = 128;

/** Returns JSON or, with a callback, a script (JSONP) in which the name of the function is reduced to an ASCII identifier. */
export function apiText(body: object, pretty: boolean, callback: string | null): string {
  const json = jsonText(body, pretty);
  return callback === null ? json : `${functionName(callback)}(${json});`;
}

/** Returns JSON with U+2028 and U+2029 escaped, because a string of a script could not contain them before ECMAScript 2019. */
export function jsonText(value: unknown, pretty = false): string {
  const json = JSON.stringify(value, null, pretty ? 2 : undefined);
  return json.replace(/[\u2028\u2029]/g, (separator) => `\\u${separator.charCodeAt(0).toString(16)}`);
}

function functionName(callback: string): string {
  return callback
    .slice(0, MAX_CALLBACK_LENGTH)
    .replace(/[^A-Za-z0-9_$]/g, '_')
    .replace(/^(?=[0-9]|$)/, '_');
}
