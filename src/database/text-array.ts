import pg from 'pg';

const ELEMENT = /"([^"\\]*(?:\\.[^"\\]*)*)"|[^,{}]+/gs;

const parserOf: (oid: number) => (array: string) => unknown[] = pg.types.getTypeParser;

const TEXT_ARRAY = 1009;

const parseAny = parserOf(TEXT_ARRAY);

/**
 * Parses an array of text in the form that PostgreSQL writes. The parser of `pg` reads each character by itself: it takes 30 times as long
 * for the 64 KB of a large record, and 3 times as long for three names. It parses arrays of several dimensions.
 */
export function parseTextArray(array: string): unknown[] {
  if (array === '{}') return [];
  if (array.includes('{{')) return parseAny(array);
  // Bounds that do not start with 1 precede the brace.
  const elements = array.slice(array.indexOf('{'));
  return Array.from(elements.matchAll(ELEMENT), ([plain, quoted]) => {
    if (quoted !== undefined) return quoted.replace(/\\(.)/gs, '$1');
    return plain === 'NULL' ? null : plain;
  });
}

/** The declaration of `pg` does not know the arrays. */
const setTypeParser: (oid: number, parse: (text: string) => unknown) => void = pg.types.setTypeParser;

/** For all connections of the process. */
export function registerTextArrays(): void {
  setTypeParser(TEXT_ARRAY, parseTextArray);
}
