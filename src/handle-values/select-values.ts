import type { HandleValue } from './handle-value.js';

/** The values that a request asks for: those with one of the types or one of the indexes; all where both are empty. */
export interface ValueSelection {
  /** Compared without the case of letters; a type that ends in "." has the types below it too. */
  readonly types: readonly string[];
  readonly indexes: readonly number[];
}

/** Selects values; they keep their order. */
export function selectValues(values: readonly HandleValue[], selection: ValueSelection): readonly HandleValue[] {
  if (selection.types.length === 0 && selection.indexes.length === 0) return values;
  const indexes = new Set(selection.indexes);
  const types = new Set(selection.types.map((type) => type.toLowerCase()));
  return values.filter(({ index, type }) => indexes.has(index) || isOneOf(type.toLowerCase(), types));
}

function isOneOf(type: string, types: ReadonlySet<string>): boolean {
  if (types.has(type) || types.has(`${type}.`)) return true;
  for (let dot = type.indexOf('.'); dot >= 0; dot = type.indexOf('.', dot + 1)) {
    if (types.has(type.slice(0, dot + 1))) return true;
  }
  return false;
}
