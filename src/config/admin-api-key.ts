import { closeSync, openSync, readSync } from 'node:fs';
import { reasonOf } from './startup-error.js';

/** Maximum size of `ADMIN_API_KEY_FILE`. A larger file contains no key, and a device or a pipe could be endless. */
const MAX_FILE_BYTES = 4096;

/** Adds `ADMIN_API_KEY` from `ADMIN_API_KEY_FILE`. @returns the variables, and problems without the content of the file. */
export function withAdminApiKey(variables: NodeJS.ProcessEnv): { variables: NodeJS.ProcessEnv; problems: string[] } {
  const { ADMIN_API_KEY: key = '', ADMIN_API_KEY_FILE: path = '' } = variables;
  if (path === '') return { variables, problems: [] };
  if (key !== '')
    return { variables, problems: ['ADMIN_API_KEY and ADMIN_API_KEY_FILE are both set; set only one of them'] };
  try {
    const text = readStart(path).replace(/\r?\n$/, '');
    if (text === '') throw new Error('the file is empty');
    return { variables: { ...variables, ADMIN_API_KEY: text }, problems: [] };
  } catch (error) {
    return { variables, problems: [`ADMIN_API_KEY_FILE ${path} cannot be read: ${reasonOf(error)}`] };
  }
}

function readStart(path: string): string {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(MAX_FILE_BYTES + 1);
    const length = readSync(file, buffer);
    if (length > MAX_FILE_BYTES) throw new Error(`the file has more than ${MAX_FILE_BYTES} bytes`);
    return buffer.toString('utf8', 0, length);
  } finally {
    closeSync(file);
  }
}
