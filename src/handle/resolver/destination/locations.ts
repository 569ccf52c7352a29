import { SaxesParser } from 'saxes';
import { targetOfText } from '../../values/index.js';

const MAX_LOCATIONS = 500;

const DEFAULT_METHODS = ['locatt', 'country', 'weighted'];

const MAX_WANTED = 10;

export interface Location {
  /** An http or https URL, percent-encoded. */
  readonly href: string;
  readonly attributes: Readonly<Record<string, string>>;
}

/** The content of a value 10320/loc: locations of one object, one of which is chosen. */
export interface Locations {
  readonly methods: readonly string[];
  readonly all: readonly Location[];
}

/**
 * Reads, from the XML of a value 10320/loc, the elements `location` of the root with an http or https `href`. Returns null if the XML is
 * not well-formed. References to external entities are not followed.
 */
export function parseLocations(xml: string): Locations | null {
  const all: Location[] = [];
  let methods = DEFAULT_METHODS;
  let depth = 0;
  // Without an error listener, the parser throws the first error.
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth === 1 && attributes.chooseby !== undefined) methods = methodsIn(attributes.chooseby);
    if (depth !== 2 || name !== 'location' || all.length === MAX_LOCATIONS) return;
    const href = targetOfText(attributes.href ?? '');
    if (href !== null) all.push({ href, attributes });
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  try {
    parser.write(xml).close();
  } catch {
    return null;
  }
  return { methods, all };
}

/**
 * Chooses one location. The method "country" has no effect, because the country of a client is unknown.
 * @param locatt the parameters `locatt`, each the name of an attribute, ":" and its value.
 * @param random a number from 0 (inclusive) to 1 (exclusive).
 */
export function chooseLocation(
  { methods, all }: Locations,
  locatt: readonly string[],
  random: number,
): Location | null {
  let left = all;
  for (const method of methods) {
    if (method === 'locatt') left = withAttributes(left, locatt);
    else if (method === 'weighted') left = weighted(left, random);
  }
  return left[0] ?? null;
}

/** The locations that have all of the attributes in `locatt`; all locations if no location has all of these attributes. */
function withAttributes(locations: readonly Location[], locatt: readonly string[]): readonly Location[] {
  const wanted = locatt.slice(0, MAX_WANTED).map((text) => {
    const colon = text.indexOf(':');
    return colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)];
  });
  const found = locations.filter(({ attributes }) =>
    wanted.every(([name = '', value]) => Object.hasOwn(attributes, name) && attributes[name] === value),
  );
  return wanted.length === 0 || found.length === 0 ? locations : found;
}

function weighted(locations: readonly Location[], random: number): readonly Location[] {
  const weights = locations.map(({ attributes }) => weightOf(attributes.weight));
  let rest = random * weights.reduce((sum, weight) => sum + weight, 0);
  for (const [index, location] of locations.entries()) {
    rest -= weights[index] ?? 0;
    if (rest < 0) return [location];
  }
  return locations.slice(0, 1);
}

function weightOf(text: string | undefined): number {
  const weight = text === undefined ? 1 : Number(text);
  return Number.isFinite(weight) && weight > 0 ? weight : 0;
}

function methodsIn(text: string): string[] {
  const named = new Set(text.split(',').map((method) => method.trim()));
  return [...named].filter((method) => DEFAULT_METHODS.includes(method));
}
