import type { Uris } from '../identifier/index.js';
import { type IdentifierRecord, nativeText } from '../registry/identifier-record.js';

export interface PageValue {
  readonly index: number;
  readonly type: string;
  readonly data: string;
  readonly ttl: number;
  readonly timestamp: string;
}

export interface PageEvent {
  readonly at: string;
  readonly what: string;
}

export interface PageRecord {
  readonly record: IdentifierRecord;
  readonly uris: Uris;
  readonly values: readonly PageValue[] | null;
  readonly history: readonly PageEvent[] | null;
}

export const PAGE_CONTENT_SECURITY_POLICY =
  "default-src 'none'; base-uri 'none'; form-action http: https:; frame-ancestors 'none'";

export function recordPage({ record, values }: PageRecord): string {
  const rows = (values ?? []).map(({ index, type, data }) => `<li>${index} ${escape(type)}: ${escape(data)}</li>`);
  const none = values?.length === 0 ? '<p>No Values Found</p>' : '';
  return page(nativeText(record), `${none}<ul>${rows.join('')}</ul>`);
}

export function withdrawnPage({ record }: PageRecord): string {
  const { reason = '', replacedBy = null, withdrawnAt } = record.tombstone ?? {};
  const day = withdrawnAt?.toISOString() ?? '';
  const text = `<p>Withdrawn ${day}: ${escape(reason)}</p><p>${escape(replacedBy ?? '')}</p>`;
  return page(nativeText(record), text);
}

export function unknownNamePage(name: string, hints: readonly string[]): string {
  const list = hints.map((hint) => `<li>${escape(hint)}</li>`).join('');
  return page('Not found', `<p>The handle you requested -- ${escape(name)} -- cannot be found.</p><ul>${list}</ul>`);
}

export function badRequestPage(name: string, reason: string): string {
  return page('Bad request', `<p><bdi>${escape(name)}</bdi></p><p>${escape(reason)}</p>`);
}

export function redirectPage(location: string): string {
  return page('Redirect', `<p><a href="${escape(location)}">${escape(location)}</a></p>`);
}

export function formPage(): string {
  const field = '<label>Identifier <input name="hdl" required></label> <button>Resolve</button>';
  return page('Resolve an identifier', `<form method="post" action="/">${field}</form>`);
}

function page(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>${escape(title)}</title></head><body>${body}</body></html>\n`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
