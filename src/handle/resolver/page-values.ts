import { type StoredValue, isShown } from '../../registry/stored-value.js';
import { adminOf, isUrl, secondsToLive, textOf } from '../values/index.js';
import { locationsIn } from './destination/destination.js';
import type { PageValue } from '../../record-page/index.js';

/** The values that a page shows: the public values, with their data as text. */
export function pageValues(values: readonly StoredValue[]): PageValue[] {
  return values.filter(isShown).map((value) => {
    const { index, type, data, timestamp } = value;
    return { index, type, data: dataText(data), ttl: secondsToLive(value, Date.parse(timestamp)), timestamp };
  });
}

function dataText(data: StoredValue['data']): string {
  if (typeof data.value === 'string') return data.value;
  if (data.format !== 'admin') return JSON.stringify(data.value);
  const { handle, index, permissions } = adminOf(data);
  return `handle=${handle}; index=${index}; permissions=${permissions}`;
}

/** Markup, and white space that the normalization of attribute values would change (XML 1.0 2.3, 3.3.3). */
const NOT_PLAIN = /[&<>"\t\n\r]/g;

/** The response to `action=showurls`: the locations of all values 10320/loc, or else the URL values, as XML in the form of 10320/loc. */
export function locationsXml(values: readonly StoredValue[]): string {
  const stored = values.flatMap((value) => locationsIn(value)?.all ?? []).map(({ attributes }) => attributes);
  const urls = values.flatMap((value) => (isUrl(value) ? (textOf(value) ?? []) : []));
  const all = stored.length > 0 ? stored : urls.map((href, id) => ({ id: String(id), href }));
  const items = all.map((attributes) => {
    // Attributes with a namespace prefix are omitted, because the namespace can be declared at the root.
    const own = Object.entries(attributes).filter(([name]) => name !== 'xmlns' && !name.includes(':'));
    const written = own.map(([name, value]) => ` ${name}="${value.replace(NOT_PLAIN, entity)}"`);
    return `<location${written.join('')}/>`;
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<locations>${items.join('')}</locations>\n`;
}

function entity(character: string): string {
  return `&#${character.charCodeAt(0)};`;
}
