import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { contentFor, isJson } from './document.js';

/** The permitted statuses for a request without an operation. 501 answers a method (RFC 9110 15.6.2), and is no failure. */
const NOTHING_SERVED = [400, 403, 404, 405, 408, 413, 414, 415, 417, 421, 431, 501];

/** Rejections that are written before there is a request, and so without its ID. */
const WITHOUT_REQUEST = /"code":"(?:MALFORMED_HTTP|HEADERS_TOO_LARGE|REQUEST_TIMEOUT)"|does not support CONNECT/;

const PROBLEM = 'application/problem+json';

const LINES = ['application/x-ndjson', 'application/jsonl'];

/** Headers that a client of one operation needs, and that the document therefore names for each response that has them. */
const DOCUMENTED = [
  ...['location', 'content-disposition', 'vary', 'etag', 'link', 'retry-after', 'www-authenticate'],
  ...['idempotency-replayed', 'preference-applied', 'ratelimit', 'ratelimit-policy', 'x-request-id'],
];

/** Compares responses with the document. */
export class Oracle {
  #validators = new Map();

  constructor(document, operations) {
    this.ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
    addFormats.default(this.ajv);
    this.ajv.addSchema({ ...document, components: closed(document.components) }, 'openapi');
    const problem = operations
      .flatMap(({ responses }) => Object.values(responses))
      .find((content) => PROBLEM in content);
    this.problem = problem === undefined ? {} : { [PROBLEM]: problem[PROBLEM] };
  }

  /** What a request may get that no operation serves: a problem document, or an error of its own interface. */
  #nothingServed({ responses }) {
    const content = responses['4XX'] ?? this.problem;
    return { isNothing: true, responses: Object.fromEntries(NOTHING_SERVED.map((status) => [status, content])) };
  }

  /**
   * The fault of a response as a sentence, or null.
   * @param request `candidates` are the operations that it may be for; `unserved` permits none.
   */
  findFault(request, answer) {
    if (answer.failure !== undefined) return answer.failure;
    if (answer.status >= 500 && answer.status !== 501) return `status ${answer.status}`;
    const { headers, body } = answer;
    if (headers['x-content-type-options'] === undefined) return 'the response has no security headers';
    if (headers['x-request-id'] === undefined && request.method !== 'HEAD' && !WITHOUT_REQUEST.test(body.toString()))
      return 'the response has no request ID';
    const candidates = [...request.candidates, ...(request.unserved ? [this.#nothingServed(request.operation)] : [])];
    return this.undocumented(candidates, request, answer);
  }

  /**
   * Why no operation has such a response, as a sentence; null where one has it.
   * @param operations of which the request is one.
   * @param request `{ method }`.
   * @param answer `{ status, headers, body, open }`. A body that is open is not compared, or up to its last whole line.
   */
  undocumented(operations, request, answer) {
    const faults = operations.map((operation) => this.#faultOf(operation, request, answer));
    return faults.includes(null) ? null : (faults[0] ?? null);
  }

  #faultOf(operation, request, { status, headers, body, open }) {
    if (status === 405 && headers.allow === undefined) return 'status 405 without Allow (RFC 9110 15.5.6)';
    if (operation.isNothing && request.method === 'OPTIONS' && (status === 204 || status === 200)) {
      return headers.allow === undefined ? 'OPTIONS without Allow' : null;
    }
    const content = contentFor(operation, status);
    if (content === undefined) return `status ${status} is not documented`;
    const named = operation.headers?.[status] ?? [];
    // Documents of other interfaces name no headers.
    const unnamed = named.length === 0 ? [] : DOCUMENTED.filter((name) => name in headers && !named.includes(name));
    if (unnamed.length > 0) return `status ${status} has ${unnamed.join(', ')}, which the document does not name`;
    const type = headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
    if (request.method === 'HEAD' || status === 204 || status === 304) {
      return body.length === 0 ? null : `status ${status} has a body, and cannot have one`;
    }
    const media = type === undefined ? undefined : content[type];
    if (Object.keys(content).length === 0) return body.length === 0 ? null : `status ${status} has a body`;
    if (media === undefined) return `status ${status} is documented as ${Object.keys(content)}, not ${type}`;
    if (media.schema === undefined) return null;
    if (LINES.includes(type)) return this.#faultOfLines(media.schema.contentSchema.items, body.toString(), open);
    return open || !isJson(type) ? null : this.#bodyFault(media.schema, body.toString());
  }

  #faultOfLines(schema, text, open) {
    const lines = text.split('\n');
    const rest = lines.pop();
    if (rest !== '' && !open) return 'the last line has no line feed';
    return lines.map((line) => this.#bodyFault(schema, line)).find((fault) => fault !== null) ?? null;
  }

  #bodyFault(schema, text) {
    const validate = this.#validatorOf(schema);
    let value;
    try {
      value = JSON.parse(text);
    } catch {
      return 'the body is not JSON';
    }
    if (validate(value)) return null;
    const [{ instancePath, message, params }] = validate.errors;
    return `the body is not as documented: ${instancePath} ${message} ${JSON.stringify(params)}`;
  }

  #validatorOf(schema) {
    const key = JSON.stringify(schema);
    let validate = this.#validators.get(key);
    if (validate === undefined) {
      // References are relative to the document.
      validate = this.ajv.compile(JSON.parse(key.replaceAll('"$ref":"#/', '"$ref":"openapi#/')));
      this.#validators.set(key, validate);
    }
    return validate;
  }
}

/**
 * Components in which the objects and the enumerations of responses are closed: they are open for clients of later versions, and what
 * this version sends is named.
 */
function closed(components) {
  return JSON.parse(JSON.stringify(components), (_, part) => {
    if (part === null || typeof part !== 'object') return part;
    const { 'x-extensible-enum': values, ...rest } = part;
    if (Array.isArray(values)) return { ...rest, enum: [...values, null] };
    const isObject = part.type === 'object' && part.properties !== undefined && part.additionalProperties === undefined;
    return isObject ? { ...part, additionalProperties: false } : part;
  });
}
