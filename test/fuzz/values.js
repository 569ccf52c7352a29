import { follow } from './document.js';

const ALPHABETS = ['abcdefghijklmnopqrstuvwxyz', '0123456789', '0123456789ABCDEF', 'aZ9/.:-_~%?#&=+ ', 'é漢😀ß\u0301'];

/** Generates values of a schema, most of them from its examples or from earlier responses. */
export class ValueMaker {
  /**
   * @param document the OpenAPI document of the references;
   * @param pool values of earlier responses.
   */
  constructor(document, pool) {
    this.document = document;
    this.pool = pool;
  }

  /**
   * A value of a schema.
   * @param name of the member or parameter;
   * @param resource the resource of the request, if any.
   */
  make(random, schema, name = '', resource = undefined, depth = 0) {
    const found = follow(this.document, schema) ?? {};
    if (found.const !== undefined) return found.const;
    if (found.enum !== undefined) return random.pick(found.enum);
    const choice = found.anyOf ?? found.oneOf;
    if (choice !== undefined) return this.make(random, random.pick(choice), name, resource, depth);
    if (found.allOf !== undefined) return this.#all(random, found, name, resource, depth);
    const type = Array.isArray(found.type)
      ? random.pick(found.type)
      : (found.type ?? (found.properties ? 'object' : 'string'));
    if (type === 'object') return this.#object(random, found, resource, depth);
    if (type === 'array') return this.#array(random, found, name, resource, depth);
    if (type === 'null') return null;
    if (type === 'boolean') return random.chance(0.5);
    if (type === 'integer' || type === 'number') return this.#number(random, found, type);
    return this.#string(random, found, name, resource);
  }

  #all(random, { allOf }, name, resource, depth) {
    const parts = allOf.map((part) => this.make(random, part, name, resource, depth));
    return parts.every((part) => typeof part === 'object' && part !== null) ? Object.assign({}, ...parts) : parts[0];
  }

  #object(random, { properties = {}, required = [] }, resource, depth) {
    // Members that exclude each other are likely if most members are present.
    const density = depth < 6 ? random.pick([0, 0.15, 0.15, 0.5]) : 0;
    const members = Object.entries(properties).filter(([name]) => required.includes(name) || random.chance(density));
    return Object.fromEntries(
      members.map(([name, schema]) => [name, this.make(random, schema, name, resource, depth + 1)]),
    );
  }

  #array(random, { items = {}, minItems = 0, maxItems = 1000, uniqueItems }, name, resource, depth) {
    const length = random.chance(0.02) ? random.int(minItems, Math.min(maxItems, 1000)) : minItems + random.int(0, 3);
    const list = Array.from({ length: Math.min(length, maxItems) }, () =>
      this.make(random, items, name, resource, depth + 1),
    );
    return uniqueItems === true ? [...new Set(list)] : list;
  }

  #number(random, { minimum, maximum, example, default: usual }, type) {
    // A number may be a count of identifiers to mint. If each tenth request minted thousands, the lists would take most
    // of the run.
    if (maximum !== undefined && random.chance(maximum > 1000 ? 0.005 : 0.1)) return maximum;
    const known = [example, usual, minimum].filter((value) => typeof value === 'number');
    if (known.length > 0 && random.chance(0.3)) return random.pick(known);
    const least = minimum ?? 0;
    const whole = random.int(least, Math.min(maximum ?? least + 1000, least + (random.chance(0.9) ? 20 : 200)));
    return type === 'integer' ? whole : whole + random.pick([0, 0.5]);
  }

  #string(random, schema, name, resource) {
    const pooled = random.chance(0.6) ? this.pool.value(random, name, resource) : undefined;
    if (pooled !== undefined) return String(pooled);
    const { example, examples = [], default: usual, format, minLength = 0, maxLength = 40 } = schema;
    const known = [example, usual, ...examples].filter((value) => typeof value === 'string');
    if (known.length > 0 && random.chance(0.9)) return vary(random, random.pick(known), schema.pattern);
    if (format === 'date-time') return new Date(random.int(1.7e12, 1.9e12)).toISOString();
    if (format === 'uuid') return vary(random, '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10');
    if (format === 'uri') return `https://repo.example.org/${random.int(0, 1e6)}`;
    return text(random, minLength, Math.max(minLength, Math.min(maxLength, random.chance(0.02) ? 20_000 : 40)));
  }
}

/** A similar text with other digits: half of the time, a GUID becomes another GUID. */
function vary(random, example, pattern) {
  if (random.chance(0.4)) return example;
  const varied = example
    .replaceAll(/[0-9A-F]{8,}/g, (run) => run.replaceAll(/./g, () => random.pick('0123456789ABCDEF')))
    .replace(/[0-9a-f]{4,}(-[0-9a-f]{4,}){3,}/, (run) =>
      run.replaceAll(/[0-9a-f]/g, () => random.pick('0123456789abcdef')),
    )
    .replace(/(?<=[/:])[0-9]{1,4}$/, () => String(random.int(0, 999)));
  return pattern === undefined || new RegExp(pattern, 'u').test(varied) ? varied : example;
}

/** A text of one alphabet, by number of characters and not of code units. */
export function text(random, least, most) {
  const alphabet = [...random.pick(ALPHABETS)];
  return Array.from({ length: random.int(least, most) }, () => random.pick(alphabet)).join('');
}
