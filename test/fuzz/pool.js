/** Maximum values of one name, and maximum resources; the oldest are dropped. */
const SIZE = 256;

/** Names whose values fit another name: lower case, letters only, singular. */
const ALSO = {
  cursor: ['next'],
  na: ['namingauthority', 'prefix'],
  prefix: ['namingauthority'],
  input: [
    'identifier',
    'metadataid',
    'alternateid',
    'cordrapath',
    'cordrahost',
    'http',
    'infohdl',
    'fedorauri',
    'guid',
  ],
  identifier: ['cordrapath', 'cordrahost', 'http', 'infohdl', 'guid'],
  handle: ['identifier', 'cordrapath', 'cordrahost', 'http', 'infohdl', 'handleuri', 'guid'],
  hdl: ['identifier', 'cordrapath', 'http', 'infohdl'],
  metadataid: ['cordrapath', 'identifier'],
  alternateid: ['metadataid'],
  replacedby: ['identifier'],
  ifmatch: ['etag'],
  ifnonematch: ['etag'],
};

/**
 * Stores values of responses, so that later requests name existing data. Values are stored by the name of their member;
 * a resource is an object with its entity tag, so that path and `If-Match` match.
 */
export class Pool {
  #values = new Map();
  #resources = [];

  /** Stores the values of one response; `body` is its JSON, or undefined. */
  harvest(headers, body) {
    if (body !== undefined) this.#walk('', body, 0);
    if (headers.etag === undefined) return;
    this.#add('etag', headers.etag);
    if (typeof body !== 'object' || body === null) return;
    const scalars = Object.entries(body).filter(([, value]) => typeof value === 'string');
    addNewest(this.#resources, {
      values: new Map(scalars.map(([name, value]) => [plain(name), value])),
      etag: headers.etag,
    });
  }

  /** A value that fits a name, or undefined; preferably of the given resource. */
  value(random, name, resource) {
    const own = plain(name);
    const names = [own, ...(ALSO[own] ?? [])];
    if (resource !== undefined) {
      const of = names.includes('etag') ? resource.etag : resource.values.get(own);
      if (of !== undefined) return of;
    }
    // The name itself has the same weight as all others together.
    const chosen = random.chance(0.5) ? own : random.pick(names);
    const list = this.#values.get(chosen) ?? this.#values.get(own);
    return list === undefined ? undefined : random.pick(list);
  }

  resource(random) {
    return this.#resources.length === 0 ? undefined : random.pick(this.#resources);
  }

  #walk(name, value, depth) {
    if (depth > 8) return;
    if (Array.isArray(value)) value.slice(0, 50).forEach((item) => this.#walk(name, item, depth + 1));
    else if (typeof value === 'object' && value !== null) {
      for (const [key, member] of Object.entries(value)) this.#walk(key, member, depth + 1);
    } else if (name !== '' && (typeof value === 'string' || typeof value === 'number')) this.#add(name, value);
  }

  #add(name, value) {
    const key = plain(name);
    const list = this.#values.get(key) ?? [];
    this.#values.set(key, list);
    if (String(value).length <= 4096 && !list.includes(value)) addNewest(list, value);
  }
}

function addNewest(list, value) {
  list.push(value);
  if (list.length > SIZE) list.shift();
}

function plain(name) {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z]/g, '')
    .replace(/(?<=[a-z]{3})s$/, '');
}
