const text = (name, more = {}) => ({ name, in: 'query', required: false, schema: { type: 'string', ...more } });

const PARAMETERS = [
  text('noredirect', { enum: ['', 'true', 'no'] }),
  text('action', { enum: ['showvalues', 'showurls', 'api', 'none'] }),
  text('type', { enum: ['URL', 'HS_ADMIN', 'url', 'HS_', ''] }),
  text('index', { enum: ['1', '100', '101', '0', '-1', '4294967296', 'abc'] }),
  text('urlappend'),
  text('callback'),
  text('pretty', { enum: [''] }),
];

const HTML = { 'text/html': {} };
const PROBLEM = { 'application/problem+json': {} };
const JSON_OR_SCRIPT = { 'application/json': {}, 'application/javascript': {} };

const LINKSET = { 'application/linkset+json': {} };
const REJECTED = { ...HTML, ...PROBLEM, ...JSON_OR_SCRIPT };

const RESPONSES = {
  200: {
    description: 'A page, or the representation that the request names.',
    content: { ...HTML, ...JSON_OR_SCRIPT, ...LINKSET, 'text/xml': {} },
  },
  410: { description: 'A tombstone, or its link set.', content: { ...REJECTED, ...LINKSET } },
  451: { description: 'A tombstone, or its link set.', content: { ...REJECTED, ...LINKSET } },
  302: { description: 'The target.', content: HTML },
  '4XX': { description: 'A page, a problem or a response code.', content: REJECTED },
};

const FRONT_PAGE = {
  200: { description: 'The front page.', content: HTML },
  '4XX': { description: 'A problem.', content: PROBLEM },
};

/** The identifier of the examples of the REST API, which a run registers. */
const KNOWN = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';

const HANDLE = {
  name: 'handle',
  in: 'path',
  required: true,
  schema: {
    type: 'string',
    examples: [KNOWN, KNOWN.toLowerCase(), `hdl:${KNOWN}`, `info:hdl/${KNOWN}`, `${KNOWN}?x#y`, `/ ${KNOWN} `],
  },
};
const FORM = {
  required: true,
  content: {
    'application/x-www-form-urlencoded': {
      schema: {
        type: 'string',
        enum: [`hdl=${KNOWN}`, `hdl=hdl%3A${KNOWN}&noredirect`, 'hdl=100.102/x', 'hdl=', 'hdl=%zz', '&&=;%00'],
      },
    },
  },
};

/** The operations of the resolver and the front page, which are not part of the OpenAPI document, in its notation. */
export const RESOLVER_PATHS = {
  '/{handle}': {
    get: { operationId: 'resolve', parameters: [HANDLE, ...PARAMETERS], responses: RESPONSES },
    post: { operationId: 'resolveByPost', parameters: [HANDLE, ...PARAMETERS], responses: RESPONSES },
  },
  '/': {
    get: { operationId: 'showFrontPage', responses: FRONT_PAGE },
    post: { operationId: 'resolveForm', parameters: PARAMETERS, requestBody: FORM, responses: RESPONSES },
  },
};

/** A document with the operations of the resolver too. */
export function withResolver(document) {
  return { ...document, paths: { ...document.paths, ...RESOLVER_PATHS } };
}
