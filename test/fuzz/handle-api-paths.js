const text = (name, more = {}) => ({ name, in: 'query', required: false, schema: { type: 'string', ...more } });

const READING = [
  text('type', { enum: ['URL', 'HS_ADMIN', 'url', 'HS_', 'desc.', ''] }),
  text('index', { enum: ['1', '100', '101', '0', '-1', '4294967296', 'abc', 'various'] }),
  text('publicOnly', { enum: ['true', 'false', ''] }),
  text('auth', { enum: ['true', ''] }),
  text('callback'),
  text('pretty', { enum: [''] }),
];

const LISTING = [
  text('prefix', { enum: ['100.102', '0.NA/100.102', '99.1', ''] }),
  text('page', { enum: ['0', '1', 'x', '2147483647'] }),
  text('pageSize', { enum: ['0', '1', '2147483647', '99999999999'] }),
];

/** Every response has the code of the Handle protocol, and the members of its kind alone. */
const ANSWER = {
  type: 'object',
  required: ['responseCode'],
  properties: {
    responseCode: { enum: [1, 2, 3, 4, 100, 101, 102, 200, 201, 202, 301, 400, 402] },
    message: { type: 'string', minLength: 1 },
    handle: { type: 'string' },
    values: { type: 'array', items: { type: 'object', required: ['index', 'type', 'data', 'ttl', 'timestamp'] } },
  },
};

const CONTENT = { 'application/json': { schema: ANSWER }, 'application/javascript': {} };

const RESPONSES = {
  200: { description: 'The values, or a list.', content: CONTENT },
  '4XX': {
    description: 'An error, or bytes that are not HTTP.',
    content: { ...CONTENT, 'application/problem+json': {} },
  },
};

/** The identifier of the examples of the REST API, which a run registers. */
const KNOWN = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';

const HANDLE = {
  name: 'handle',
  in: 'path',
  required: true,
  schema: { type: 'string', examples: [KNOWN, KNOWN.toLowerCase(), `hdl:${KNOWN}`, `/${KNOWN}`, '100.102/', '99.9/x'] },
};

const PARAMETERS = {
  required: false,
  content: {
    'application/x-www-form-urlencoded': {
      schema: { type: 'string', enum: ['type=URL', 'index=x', 'prefix=100.102', '&&=;%00', 'callback=%zz'] },
    },
    'application/json': { schema: { type: 'object', properties: { type: { type: 'string' } } } },
  },
};

const VALUE = {
  type: 'object',
  required: ['index', 'type', 'data'],
  properties: {
    index: { type: 'integer', minimum: 1, maximum: 2147483647 },
    type: { type: 'string', enum: ['URL', 'EMAIL', 'METADATA_ID', 'HS_ADMIN', 'HS_SECKEY', '10320/loc'] },
    data: {
      type: 'object',
      required: ['format', 'value'],
      properties: {
        format: { type: 'string', enum: ['string', 'base64', 'hex', 'admin', 'vlist', 'site', 'key', 'none'] },
        value: { type: 'string', examples: ['https://repo.example.org/9', 'AAH/', '00ff', 'x'] },
      },
    },
    ttl: { type: 'integer', minimum: 0, maximum: 2147483647 },
    permissions: { type: 'string', enum: ['1110', '1100', '11', ''] },
  },
};

/** A list that every naming authority accepts: few lists of random values are valid. */
const TARGET = [{ index: 1, type: 'URL', data: { format: 'string', value: 'https://repo.example.org/9' } }];

const VALUES = {
  required: true,
  content: {
    'application/json': { schema: { anyOf: [{ type: 'array', maxItems: 3, items: VALUE }, { const: TARGET }] } },
  },
};

const WRITING = [
  text('index', { enum: ['1', '1', '1', '2', '100', '0', 'various', 'abc'] }),
  text('overwrite', { enum: ['true', 'false', ''] }),
  text('mintNewSuffix', { enum: ['true', 'TRUE', ''] }),
];

const BARE = {
  200: {
    description: 'A list of texts, an object of records, or null.',
    content: {
      'application/json': {
        schema: {
          anyOf: [
            { type: 'null' },
            { type: 'array', items: { type: 'string' } },
            { type: 'object', additionalProperties: { type: 'array', items: { type: 'object' } } },
          ],
        },
      },
    },
  },
  '4XX': RESPONSES['4XX'],
};

const PREFIX = {
  name: 'prefix',
  in: 'path',
  required: true,
  schema: { type: 'string', examples: ['100.102', 'ARK', '99.9', '0.NA', '%00'] },
};

const SEARCHING = [
  text('URL', { enum: ['*', 'https://repo.example.org/9', '*example*', '%', '\\', ''] }),
  text('METADATA_ID', { enum: ['hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA', 'hdl:*', 'x'] }),
  text('HS_ADMIN', { enum: ['*', '0.NA/100.102'] }),
  text('HS_SECKEY'),
  text('limit', { enum: ['0', '1', '100001', 'x'] }),
  text('page', { enum: ['0', '2147483647', '-1'] }),
  text('retrieverecords', { enum: ['true', 'false'] }),
];

/** The operations of the interface `handles`, which are not part of the OpenAPI document, in its notation. */
const HANDLE_API_PATHS = {
  '/api/handles/{handle}': {
    get: { operationId: 'readHandle', parameters: [HANDLE, ...READING], responses: RESPONSES },
    put: {
      operationId: 'putHandle',
      parameters: [HANDLE, ...WRITING],
      requestBody: VALUES,
      responses: { 201: RESPONSES[200], ...RESPONSES },
    },
    // Outside a sandbox, only values are removed.
    delete: {
      operationId: 'deleteHandle',
      parameters: [HANDLE, { ...WRITING[0], required: true }],
      responses: RESPONSES,
    },
    post: {
      operationId: 'readHandleByPost',
      parameters: [HANDLE, ...READING],
      requestBody: PARAMETERS,
      responses: RESPONSES,
    },
  },
  '/api/handles': {
    get: { operationId: 'listHandles', parameters: LISTING, responses: RESPONSES },
    post: { operationId: 'listHandlesByPost', parameters: LISTING, requestBody: PARAMETERS, responses: RESPONSES },
  },
  '/hdlresolver/listprefixes': { get: { operationId: 'listResolverPrefixes', responses: BARE } },
  '/hdlresolver/resolve/{handle}': {
    get: { operationId: 'resolveForDspace', parameters: [HANDLE], responses: BARE },
  },
  '/hdlresolver/listhandles/{prefix}': {
    get: { operationId: 'listResolverHandles', parameters: [PREFIX], responses: BARE },
  },
  '/hrls/handles': { get: { operationId: 'searchHandles', parameters: SEARCHING, responses: BARE } },
  '/hrls/handles/{prefix}': {
    get: { operationId: 'searchHandlesOfPrefix', parameters: [PREFIX, ...SEARCHING], responses: BARE },
  },
  '/api/prefixes': {
    get: { operationId: 'listPrefixes', responses: RESPONSES },
    post: { operationId: 'listPrefixesByPost', responses: RESPONSES },
  },
  '/api/site': { get: { operationId: 'showSite', responses: RESPONSES } },
};

/** A document with the operations of the API of Handle servers too. */
export function withHandleApi(document) {
  return { ...document, paths: { ...document.paths, ...HANDLE_API_PATHS } };
}
