import { describe, expect, it } from '@jest/globals';
import { closeRequestSchemas, schemasOf } from '../../scripts/openapi/closed-requests.js';
import { type Document, type Operation, componentName } from '../../scripts/openapi/document.js';
import { separateInputs } from '../../scripts/openapi/input-schemas.js';
import { describeSecurity } from '../../scripts/openapi/operation-security.js';
import { withoutRuleNumbers } from '../../scripts/openapi/rule-numbers.js';
import { withPlainSchemaNames } from '../../scripts/openapi/schema-names.js';
import { shareParts } from '../../scripts/openapi/share-parts.js';
import { shareResponses } from '../../scripts/openapi/share-responses.js';
import { describeStreams } from '../../scripts/openapi/stream-bodies.js';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const operation = (id: string, parts: Partial<Operation> = {}): Operation => ({
  operationId: id,
  responses: {},
  ...parts,
});
const documentOf = (operations: Operation[], schemas: Document['components']['schemas'] = {}): Document => ({
  paths: Object.fromEntries(operations.map((one) => [`/${one.operationId}`, { post: one }])),
  components: { schemas },
});

describe('shareResponses', () => {
  const rejection = (description: string) => ({
    description,
    headers: { A: {} },
    content: { 'application/problem+json': {} },
  });

  it('keeps the codes at each operation and the rest in one component', () => {
    const [one, two] = [
      operation('one', { responses: { 404: rejection('`A`') } }),
      operation('two', { responses: { 404: rejection('`B`'), 200: { description: 'fine' } } }),
    ];
    const document = documentOf([one, two]);
    shareResponses(document);
    expect(one.responses[404]).toEqual({ $ref: '#/components/responses/NotFound', description: '`A`' });
    expect(two.responses[404]).toEqual({ $ref: '#/components/responses/NotFound', description: '`B`' });
    expect(two.responses[200]).toEqual({ description: 'fine' });
    expect(Object.keys(document.components.responses ?? {})).toEqual(['NotFound']);
  });

  it('gives a response that may be a page a component of its own', () => {
    const page = { ...rejection('`A`'), content: { 'application/problem+json': {}, 'text/html': {} } };
    const document = documentOf([
      operation('one', { responses: { 404: page } }),
      operation('two', { responses: { 404: rejection('`A`') } }),
    ]);
    shareResponses(document);
    expect(Object.keys(document.components.responses ?? {})).toEqual(['NotFound', 'NotFoundOrPage']);
  });

  it('rejects responses of one status that differ', () => {
    const other = { ...rejection('`A`'), headers: {} };
    const document = documentOf([
      operation('one', { responses: { 404: rejection('`A`') } }),
      operation('two', { responses: { 404: other } }),
    ]);
    expect(() => {
      shareResponses(document);
    }).toThrow('two has another response 404');
  });
});

describe('shareParts', () => {
  const parameter = (name: string, location: string, description = '', required = false) => ({
    name,
    in: location,
    description,
    required,
  });
  const lists = (parameters: ReturnType<typeof parameter>[], tags = ['one']) =>
    [1, 2].map((index) => operation(`${tags.join()}${index}`, { parameters: structuredClone(parameters), tags }));

  it('shares what occurs twice, and leaves what occurs once', () => {
    const [first, second] = lists([parameter('limit', 'query')]);
    const document = documentOf([first!, second!, operation('three', { parameters: [parameter('other', 'query')] })]);
    shareParts(document);
    expect(Object.keys(document.components.parameters ?? {})).toEqual(['Limit']);
    expect(second?.parameters).toEqual([{ $ref: '#/components/parameters/Limit' }]);
    expect(document.paths['/three']?.post?.parameters).toEqual([parameter('other', 'query')]);
  });

  it('names parts that differ by their location, then by their tag', () => {
    const document = documentOf([
      ...lists([parameter('id', 'path', 'a key')], ['api-keys']),
      ...lists([parameter('id', 'path', 'a reservation')], ['reservations']),
      ...lists([parameter('id', 'query')], ['events']),
    ]);
    shareParts(document);
    const names = Object.keys(document.components.parameters ?? {});
    expect(names).toEqual(['ApiKeysIdInPath', 'IdInQuery', 'ReservationsIdInPath']);
  });

  it('names parts of the same tag by whether they are required', () => {
    const [one, two] = lists([parameter('If-Match', 'header', '', true)]);
    const [three, four] = lists([parameter('If-Match', 'header')], ['two']);
    const document = documentOf([one!, two!, three!, four!].map((part) => ({ ...part, tags: ['one'] })));
    shareParts(document);
    expect(Object.keys(document.components.parameters ?? {})).toEqual(['OptionalIfMatch', 'RequiredIfMatch']);
  });

  it('rejects two parts for which there is one name', () => {
    const parts = ['x', 'y'].flatMap((text) => lists([parameter('id', 'path', text)], ['events']));
    const document = documentOf(parts.map((part, index) => ({ ...part, operationId: `${index}` })));
    expect(() => {
      shareParts(document);
    }).toThrow('no name of its own for Id');
  });
});

describe('withPlainSchemaNames', () => {
  it('removes Dto from names and references', () => {
    const renamed = withPlainSchemaNames(documentOf([], { PageDto: { items: reference('ItemDto') }, ItemDto: {} }));
    expect(renamed.components.schemas).toEqual({ Page: { items: reference('Item') }, Item: {} });
  });

  it('rejects names that become equal', () => {
    expect(() => withPlainSchemaNames(documentOf([], { StateDto: {}, State: {} }))).toThrow('the name State');
  });
});

describe('separateInputs', () => {
  const grant = () => ({
    type: 'object',
    properties: { derived: { default: false, description: 'Whether.' } },
    required: ['name'],
  });
  const both = operation('both', {
    requestBody: { content: { 'application/json': { schema: reference('Grant') } } },
    responses: { 200: { description: '', content: { 'application/json': { schema: reference('Grant') } } } },
  });

  it('lets a request omit what a response always has', () => {
    const document = documentOf([structuredClone(both)], { Grant: grant() });
    separateInputs(document);
    const { Grant, GrantInput } = document.components.schemas;
    expect(Grant).toEqual({
      ...grant(),
      properties: { derived: { description: 'Whether.' } },
      required: ['name', 'derived'],
    });
    expect(GrantInput?.required).toEqual(['name']);
    expect(GrantInput?.properties).toEqual({ derived: { description: 'Whether. The default is `false`.' } });
    expect(document.paths['/both']?.post?.requestBody?.content['application/json']?.schema).toEqual(
      reference('GrantInput'),
    );
  });

  it('keeps what is said of requests out of the response', () => {
    const schema = grant();
    schema.properties.derived.description = 'Whether. In a request: at most once. It is a truth value.';
    const document = documentOf([structuredClone(both)], { Grant: schema });
    separateInputs(document);
    const { Grant, GrantInput } = document.components.schemas;
    expect(Grant?.properties?.derived?.description).toBe('Whether. It is a truth value.');
    expect(GrantInput?.properties?.derived?.description).toContain('In a request: at most once.');
  });

  it('leaves a schema without defaults to both', () => {
    const document = documentOf([structuredClone(both)], { Grant: { type: 'object', properties: { a: {} } } });
    separateInputs(document);
    expect(Object.keys(document.components.schemas)).toEqual(['Grant']);
  });
});

describe('closeRequestSchemas', () => {
  it('closes the objects of requests, also indirect ones, and no others', () => {
    const content = { 'application/json': { schema: reference('A') } };
    const schemas = {
      A: { type: 'object', properties: { b: reference('B') } },
      B: { type: 'object' },
      C: { type: 'object' },
    };
    const document = documentOf([operation('one', { requestBody: { content } })], schemas);
    closeRequestSchemas(document);
    expect(Object.values(document.components.schemas).map((schema) => schema.additionalProperties)).toEqual([
      false,
      false,
      undefined,
    ]);
  });

  it('reads schemas that refer to each other once', () => {
    const document = documentOf([], { A: reference('B'), B: reference('A') });
    expect([...schemasOf(document, [reference('A')])]).toEqual(['A', 'B']);
  });
});

describe('describeStreams', () => {
  it('makes a body of lines a text and keeps the schema of a line', () => {
    const media = {
      'application/x-ndjson': { schema: reference('MintLine') },
      'text/csv': { schema: reference('Row') },
    };
    const one = operation('one', { responses: { 200: { description: '', content: media } } });
    describeStreams(documentOf([one]));
    expect(media['application/x-ndjson'].schema).toMatchObject({
      type: 'string',
      description: expect.stringContaining('`MintLine`'),
      contentSchema: { type: 'array', items: reference('MintLine') },
    });
    expect(media['text/csv'].schema).toMatchObject({ type: 'string' });
  });

  it('names the columns of rows', () => {
    const media = { 'text/csv': { schema: reference('Row') } };
    const one = operation('one', { responses: { 200: { description: '', content: media } } });
    describeStreams(documentOf([one]), { one: ['identifier', 'target'] });
    expect(media['text/csv'].schema).toMatchObject({ description: expect.stringContaining('`identifier`, `target`') });
  });
});

describe('describeSecurity', () => {
  it.each([
    [[], [], 'Needs no key.'],
    [['read'], [{ apiKey: [] }, {}], 'Needs the scope `read`, or no key where reading is public.'],
    [['mint', 'curate'], [{ apiKey: [] }], 'Needs the scope `mint` or `curate`.'],
  ] as const)('describes %p', (scopes, security, sentence) => {
    const one = operation('one', { description: 'Text.' });
    describeSecurity(one, { scopes });
    expect([one.security, one.description]).toEqual([security, `Text.\n\n${sentence}`]);
  });

  it('rejects a route that declares nothing', () => {
    expect(() => {
      describeSecurity(operation('one'), { scopes: undefined });
    }).toThrow('one declares neither');
  });
});

describe('withoutRuleNumbers', () => {
  it.each([
    ['The GUID (CID-14); upper case.', 'The GUID; upper case.'],
    ['Below `12345`\n(HS-07), or none (R-36).', 'Below `12345`, or none.'],
    ['Derived (`1` of `1.2`, HS-07).', 'Derived (`1` of `1.2`).'],
    ['A language (BCP 47).', 'A language (BCP 47).'],
  ])('reads %p as %p', (description, expected) => {
    const document = documentOf([operation('one', { description })]);
    expect(withoutRuleNumbers(document).paths['/one']?.post?.description).toBe(expected);
  });
});

describe('componentName', () => {
  it('joins words of any spelling', () => {
    expect(componentName('naming authorities', 'If-Match', 'in', 'header')).toBe('NamingAuthoritiesIfMatchInHeader');
  });
});
