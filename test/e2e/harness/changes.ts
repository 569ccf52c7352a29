import type { Answer, Client } from './client.js';

/** The operation that changes many identifiers. */
export const CHANGES = '/identifiers/changes';

export const NDJSON = { 'content-type': 'application/x-ndjson' };
export const CSV = { 'content-type': 'text/csv' };

/** The lines of a response of NDJSON. */
export const linesIn = (text: string): any[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

/** Sends a body of changes. @returns the status and the lines of the response. */
export async function sendChanges(
  client: Client,
  body: string,
  { query = '', headers = {} }: { query?: string; headers?: Record<string, string> } = {},
): Promise<{ status: number; lines: any[]; headers: Headers }> {
  const answer = await fetch(`${client.base}${CHANGES}${query}`, {
    method: 'POST',
    headers: { ...NDJSON, ...headers },
    body,
  });
  return { status: answer.status, headers: answer.headers, lines: linesIn(await answer.text()) };
}

/** Lines of NDJSON. */
export const ndjson = (...lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Mints identifiers. @returns them as `NA/GUID`. */
export async function mintMany(client: Client, items: readonly object[]): Promise<string[]> {
  const { body }: Answer = await client.post(
    '/identifiers/batch',
    { namingAuthority: client.namingAuthority, items },
    { prefer: 'return=minimal' },
  );
  return ((body.items ?? body.results) as { identifier: string }[]).map(({ identifier }) => identifier);
}
