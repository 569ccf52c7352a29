/** Maximum depth of nesting; requests need at most five levels. */
const MAX_DEPTH = 32;

/** Maximum number of members of one object. Objects with many members are the slowest to parse. */
const MAX_MEMBERS = 100;

/** Maximum number of members of all objects: more than enough for 10,000 items with 12 members each. */
const MAX_ALL_MEMBERS = 150_000;

/** Maximum number of objects and arrays: enough for 10,000 items with a context and a resolver each. */
const MAX_CONTAINERS = 100_000;

/** Maximum number of values: enough for 10,000 items with 100 alternate identifiers each. */
const MAX_VALUES = 1_200_000;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** Counts members and checks the limits in linear time. `JSON.parse` can take seconds and a gigabyte for 16 MB. @throws SyntaxError */
export function countMembers(bytes: Uint8Array): number {
  const open = new Int32Array(MAX_DEPTH + 1);
  let depth = 0;
  let containers = 0;
  let values = 0;
  let members = 0;
  for (let i = 0; i < bytes.length; i++) {
    switch (bytes[i]) {
      case QUOTE:
        i = endOfString(bytes, i);
        break;
      case COMMA:
        values += 1;
        break;
      case COLON:
        members += 1;
        open[depth] = (open[depth] ?? 0) + 1;
        if ((open[depth] ?? 0) > MAX_MEMBERS) throw new SyntaxError(`an object has more than ${MAX_MEMBERS} members`);
        break;
      case OPENING_BRACKET:
      case OPENING_BRACE:
        depth += 1;
        containers += 1;
        if (depth > MAX_DEPTH) throw new SyntaxError('it is nested too deeply');
        open[depth] = 0;
        break;
      case CLOSING_BRACKET:
      case CLOSING_BRACE:
        if (depth > 0) depth -= 1;
    }
  }
  if (members > MAX_ALL_MEMBERS) throw new SyntaxError(`it has more than ${MAX_ALL_MEMBERS} members`);
  if (containers > MAX_CONTAINERS) throw new SyntaxError(`it has more than ${MAX_CONTAINERS} objects and arrays`);
  if (values > MAX_VALUES) throw new SyntaxError(`it has more than ${MAX_VALUES} values`);
  return members;
}

/** In UTF-8, the bytes of a quotation mark and a backslash occur in no other character. */
function endOfString(bytes: Uint8Array, start: number): number {
  let i = start + 1;
  while (i < bytes.length && bytes[i] !== QUOTE) i += bytes[i] === BACKSLASH ? 2 : 1;
  return i;
}
