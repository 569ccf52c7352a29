/**
 * Characters that start a formula in spreadsheets, including full-width forms, and the apostrophe that escapes them.
 */
const FORMULA = /^[=+\-@\t\r\n'\uff1d\uff0b\uff0d\uff20]/;

/** A `;`, tab or line break, which some spreadsheets read as the end of a cell, with the text up to the next one. */
const PART = /[;\t\r\n][^;\t\r\n]*/g;

/** A part whose text begins with a formula, after spaces and quotation marks; the second one is already escaped. */
const FORMULA_PART = /^[;\t\r\n][ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const GUARDED_PART = /^[;\t\r\n]'[ "']*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

/** A cell with an apostrophe before each formula, so that a spreadsheet shows it as text. */
export function guarded(text: string): string {
  const inner = text.replace(PART, (part) => (FORMULA_PART.test(part) ? `${part.slice(0, 1)}'${part.slice(1)}` : part));
  return FORMULA.test(inner) ? `'${inner}` : inner;
}

/** The inverse of `guarded`. */
export function unguarded(cell: string): string {
  const inner = cell.startsWith("'") ? cell.slice(1) : cell;
  return inner.replace(PART, (part) => (GUARDED_PART.test(part) ? part.slice(0, 1) + part.slice(2) : part));
}
