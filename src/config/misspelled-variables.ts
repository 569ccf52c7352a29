export interface MisspelledVariable {
  readonly name: string;
  readonly likely: string;
}

/** Maximum length of a short name. Many short names differ by one letter, so only a transposition counts as a misspelling of them. */
const SHORT = 5;

/** Number of characters of the known name for each permitted edit. At most `MAX_EDITS` edits are permitted. */
const CHARACTERS_PER_EDIT = 6;
const MAX_EDITS = 3;

/** Finds variables whose names are similar to a known name, such as DATABSE_URL, regardless of case. */
export function misspelledVariables(names: readonly string[], known: readonly string[]): MisspelledVariable[] {
  const isKnown = new Set(known);
  return names.flatMap((name) => {
    if (isKnown.has(name)) return [];
    const near = known
      .map((likely) => ({ name, likely, edits: editsBetween(name.toUpperCase(), likely) }))
      .filter(({ likely, edits }) => isMisspelling(name, likely, edits))
      .sort((a, b) => a.edits - b.edits);
    return near.slice(0, 1).map(({ likely }) => ({ name, likely }));
  });
}

export function describeMisspelled({ name, likely }: MisspelledVariable): string {
  return `The variable ${name} is unknown; did you mean ${likely}?`;
}

function isMisspelling(name: string, likely: string, edits: number): boolean {
  if (likely.length > SHORT) return edits <= Math.min(MAX_EDITS, Math.floor(likely.length / CHARACTERS_PER_EDIT));
  return edits === 1 && [...name].sort().join('') === [...likely].sort().join('');
}

/** Optimal string alignment distance. Texts whose lengths differ by more than `MAX_EDITS` are not compared. */
function editsBetween(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > MAX_EDITS) return Infinity;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (previous[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (previous[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (beforePrevious[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforePrevious, previous] = [previous, row];
  }
  return previous[b.length] ?? 0;
}
