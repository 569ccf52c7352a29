import { isJson } from './document.js';
import { BODIES, changeSomewhere, setJson } from './hostile-bodies.js';
import { ESCAPED_TEXTS, HEADERS, OTHER_METHODS, TARGETS } from './hostile-heads.js';
import { HTTP } from './hostile-http.js';
import { TEXTS } from './hostile-values.js';
import { writeJson } from './json.js';
import { Random } from './random.js';
import { escapeText, withHeader } from './request.js';
import { ValueMaker, text } from './values.js';

const KINDS = [
  { kind: 'valid', weight: 40 },
  { kind: 'mutated', weight: 30 },
  { kind: 'hostile', weight: 30 },
];

/** Generates the requests of a run from the seed, the operation, the number and the pool. */
export class RequestMaker {
  /** @param headers pairs of every request, such as the key. */
  constructor({ document, operations, pool, seed, headers }) {
    Object.assign(this, { operations, pool, seed, headers });
    this.values = new ValueMaker(document, pool);
  }

  make(operation, number) {
    const random = new Random(`${this.seed}/${operation.id}/${number}`);
    const { kind } = random.weighted(KINDS);
    const { request, value } = this.#valid(operation, random);
    request.kind = kind;
    if (kind === 'mutated') this.#mutate(request, value, random);
    if (kind === 'hostile') {
      this.#assault(request, random);
      // Sometimes two faults at once: one may hide the other.
      if (request.bytes === undefined && random.chance(0.15)) this.#assault(request, random);
    }
    request.candidates = this.#candidates(request);
    return request;
  }

  #valid(operation, random) {
    const resource = random.chance(0.7) ? this.pool.resource(random) : undefined;
    const make = ({ name, schema }) => this.values.make(random, schema, name, resource);
    const chosen = operation.parameters.filter(({ required }) => required === true || random.chance(0.3));
    const of = (location) => chosen.filter((parameter) => parameter.in === location);
    const request = {
      operation,
      what: 'valid',
      method: operation.method,
      path: operation.path.replaceAll(/\{([^}]+)\}/g, (_, name) => {
        const value = make(operation.parameters.find((one) => one.in === 'path' && one.name === name) ?? { name });
        return String(value) === '' ? '-' : this.#pathValue(random, String(value));
      }),
      query: of('query').flatMap((parameter) => {
        const value = make(parameter);
        return (Array.isArray(value) ? value : [value]).map((one) => [parameter.name, escapeText(String(one))]);
      }),
      headers: [...this.headers, ...of('header').map((parameter) => [parameter.name, latin(String(make(parameter)))])],
    };
    // One segment may be a naming authority, followed by a local name.
    if (/^\/[^/]*\/[^/]*\/./.test(request.path) && !/%2f|%3a|:/i.test(request.path)) request.elsewhere = true;
    if (operation.body === null || (!operation.body.required && random.chance(0.3))) return { request };
    const [type, { schema: described }] = random.pick(Object.entries(operation.body.content));
    // The schema of a line, where the body is a text of lines.
    const schema = described.contentSchema?.items ?? described;
    const value = this.values.make(random, schema, '', resource);
    request.headers.push(['content-type', type]);
    request.body = Buffer.from(isJson(type) ? writeJson(value) : this.#lines(random, type, value));
    return { request, value: isJson(type) ? value : undefined };
  }

  /** The raw slash of "naming authority / local name" is permitted in a path. */
  #pathValue(random, value) {
    const isPair = /^[0-9.]+\/[0-9A-Za-z]+$/.test(value);
    return isPair && random.chance(0.5) ? value : escapeText(value);
  }

  /** A body that is not JSON: lines of the schema, as NDJSON. */
  #lines(random, type, value) {
    const lines = Array.isArray(value) ? value : [value];
    const written = lines.map((line) => (typeof line === 'string' ? line : writeJson(line)));
    return `${written.join('\n')}${random.chance(0.8) ? '\n' : ''}`;
  }

  #mutate(request, value, random) {
    const ways = [
      { weight: value === undefined ? 0 : 6, apply: () => this.#changeBody(request, value, random) },
      {
        weight: request.operation.parameters.some((one) => one.in === 'query') ? 3 : 0,
        apply: () => this.#changeQuery(request, random),
      },
      { weight: request.operation.path.includes('{') ? 4 : 0, apply: () => this.#changePath(request, random) },
      { weight: 1, apply: () => this.#changeQuery(request, random) },
    ];
    random.weighted(ways).apply();
  }

  #changeBody(request, value, random) {
    const changed = changeSomewhere(random, value);
    request.what = changed.name;
    setJson(request, changed.value);
  }

  #changeQuery(request, random) {
    const names = request.operation.parameters.filter((one) => one.in === 'query').map(({ name }) => name);
    const known = names.length > 0 && random.chance(0.7);
    const name = known
      ? random.pick(names)
      : random.pick(['colour', '__proto__', 'constructor', 'toString', '', '%00', 'a[b]', 'limit[]', '%zz', '\xff']);
    const value = random.chance(0.2) ? escapeText(text(random, 0, 60)) : random.pick(ESCAPED_TEXTS);
    const twice = known && random.chance(0.3);
    const many = !twice && random.chance(0.02);
    request.what = `the query ${name}=${value.slice(0, 40)}${twice ? ', twice' : many ? ', 3000 times' : ''}`;
    request.query = request.query.filter(([other]) => twice || other !== name);
    request.query.push(...Array.from({ length: twice ? 2 : many ? 3000 : 1 }, () => [name, value]));
  }

  #changePath(request, random) {
    const value = random.chance(0.2) ? escapeText(text(random, 0, 60)) : random.pick(ESCAPED_TEXTS);
    request.what = `${value.slice(0, 40)} in the path`;
    request.path = request.operation.path.replaceAll(/\{[^}]+\}/g, () => value);
    request.unserved = true;
    request.elsewhere = true;
  }

  #assault(request, random) {
    const ways = [
      { list: BODIES, weight: request.operation.body === null ? 1 : 6 },
      { list: TARGETS, weight: 3 },
      { list: OTHER_METHODS, weight: 2 },
      { list: HEADERS, weight: 4 },
      { list: headerTexts(request.operation), weight: 2 },
      { list: HTTP, weight: 2 },
    ];
    const { name, apply } = random.weighted(random.weighted(ways).list);
    apply(request, random);
    request.what = request.what === 'valid' ? name : `${request.what}; ${name}`;
    // A body that the operation does not have may be rejected.
    if (request.operation.body === null && request.body !== undefined) request.unserved = true;
  }

  #candidates({ operation, method, elsewhere }) {
    const wanted = method === 'HEAD' ? 'GET' : method;
    if (elsewhere === true) return this.operations.filter((one) => one.method === wanted);
    return this.operations.filter((one) => one.path === operation.path && one.method === wanted);
  }
}

/** Headers are bytes; other characters of the schema are sent as UTF-8. */
function latin(value) {
  return Buffer.from(value).toString('latin1');
}

const headersWithTexts = new Map();

/** Hostile texts in every header of an operation, and in an unknown one. */
function headerTexts({ id, parameters }) {
  if (headersWithTexts.has(id)) return headersWithTexts.get(id);
  const names = parameters.filter((one) => one.in === 'header').map(({ name }) => name.toLowerCase());
  const list = ['accept-language', ...names].flatMap((name) =>
    TEXTS.map((value) => ({
      name: `${name}: ${JSON.stringify(value).slice(0, 30)}`,
      apply: (request) => {
        withHeader(request, name, latin(value));
        request.unserved = true;
      },
    })),
  );
  headersWithTexts.set(id, list);
  return list;
}
