import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import addFormats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { type Document, isReference, operationsOf } from '../../scripts/openapi/document.js';
import { CATALOGUE, type ProblemCode } from '../../src/problem/catalogue.js';

const root = new URL('../../', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');
const text = read('openapi/openapi.json');
const document = JSON.parse(text) as Document & Record<string, any>;
const operations = operationsOf(document).map(({ operation }) => operation);

/** Every object of the document with its path. */
function* objectsIn(value: any, path = ''): Generator<[path: string, object: any]> {
  if (typeof value !== 'object' || value === null) return;
  yield [path, value];
  for (const [name, member] of Object.entries(value)) yield* objectsIn(member, `${path}/${name}`);
}

describe('the committed OpenAPI document', () => {
  it.each(['openapi.json', 'openapi.yaml'])('has at most 400 KB as %s', (name) => {
    expect(Buffer.byteLength(read(`openapi/${name}`))).toBeLessThanOrEqual(400_000);
  });

  it('has contact, license, external documents and the version of the package', () => {
    const { info, externalDocs } = document;
    expect(info.version).toBe(JSON.parse(read('package.json')).version);
    expect([info.contact.name, info.license.name, externalDocs.url].map((one) => typeof one)).toEqual(
      Array(3).fill('string'),
    );
  });

  it('describes every operation, with one declared tag each and the problems that it may answer', () => {
    const declared = document.tags.map(({ name }: { name: string }) => name);
    for (const { operationId, tags = [], summary, description = '', responses } of operations as any[]) {
      expect([operationId, tags.length, declared.includes(tags[0])]).toEqual([operationId, 1, true]);
      expect([operationId, typeof summary, description.replace(/Needs .*$/s, '').trim().length > 20]).toEqual([
        operationId,
        'string',
        true,
      ]);
      for (const [status, response] of Object.entries<any>(responses)) {
        if (Number(status) < 400) continue;
        const codes = response.description.replaceAll('`', '').split(', ') as ProblemCode[];
        expect([operationId, codes.map((code) => CATALOGUE[code].status)]).toEqual([
          operationId,
          codes.map(() => Number(status)),
        ]);
      }
    }
  });

  it('has each code at an operation, at a result or in the introduction', () => {
    const { ProblemCode, ...schemas } = document.components.schemas;
    const described = JSON.stringify([document.info, document.paths, schemas]);
    const codes = ProblemCode?.['x-extensible-enum'] as string[];
    expect(codes.length).toBeGreaterThan(80);
    expect(codes.filter((code) => !described.includes(`\`${code}\``))).toEqual([]);
  });

  it('lists no code of a Fedora PID where a request has a naming authority and no other name', () => {
    for (const { operationId, responses } of operations) {
      if (!/Reservation|ApiKey|NamingAuthorit|Event/.test(operationId)) continue;
      expect([operationId, JSON.stringify(responses).includes('INVALID_PID')]).toEqual([operationId, false]);
    }
  });

  it('has each member of an exported identifier as required', () => {
    const { required, properties = {} } = document.components.schemas.TransferLine ?? {};
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['target', 'state', 'version', 'createdAt']));
    expect(required).toEqual(Object.keys(properties));
  });

  it.each([
    ['MintedIdentifier', 'UpdateIdentifier'],
    ['TransferLine', 'TransferLineInput'],
    ['NamingAuthority', 'UpdateNamingAuthority'],
  ])('has no list of values in which a value of %s may be missing where it is sent back as %s', (response, request) => {
    const { schemas } = document.components;
    const resolved = (part: unknown): string =>
      JSON.stringify(part ?? null).replaceAll(/\{"\$ref":"#\/components\/schemas\/(\w+)"\}/g, (_, name: string) =>
        resolved(schemas[name]),
      );
    const listsIn = (part: unknown): string[] => resolved(part).match(/"enum":\[[^\]]*\]/g) ?? [];
    for (const [name, member] of Object.entries(schemas[request]?.properties ?? {})) {
      const sent = schemas[response]?.properties?.[name];
      if (sent !== undefined) expect([name, listsIn(sent)]).toEqual([name, expect.arrayContaining(listsIn(member))]);
    }
  });

  it('has no component that is unused, and no name of a class', () => {
    for (const [section, components] of Object.entries(document.components)) {
      if (section === 'securitySchemes') continue;
      const unused = Object.keys(components as object).filter(
        (name) => !text.includes(`"#/components/${section}/${name}"`),
      );
      expect([section, unused]).toEqual([section, []]);
    }
    expect(text).not.toMatch(/\w+Dto\b/);
  });

  it('has no pattern that means something else without the flag "u"', () => {
    for (const [path, { pattern }] of objectsIn(document)) {
      if (typeof pattern !== 'string') continue;
      expect([path, /\\[pPuU]\{|\(\?/.test(pattern)]).toEqual([path, false]);
      expect(() => new RegExp(pattern)).not.toThrow();
    }
  });

  it('permits reads without a key, and no other operation but the public ones', () => {
    for (const { operationId, security, description = '' } of operations) {
      const expected = description.includes('Needs no key.')
        ? []
        : [{ apiKey: [] }, ...(/scope .*`read`/.test(description) ? [{}] : [])];
      expect([operationId, security]).toEqual([operationId, expected]);
      if (/^(mint|create|update|import|revoke|activate|withdraw)/.test(operationId)) {
        expect([operationId, security]).toEqual([operationId, [{ apiKey: [] }]]);
      }
    }
    const { apiKey } = (document as any).components.securitySchemes;
    for (const scope of ['read', 'mint', 'register', 'curate', 'admin'])
      expect(apiKey.description).toContain(`\`${scope}\`: `);
    expect(apiKey.bearerFormat).toContain('mm_live_');
  });

  it('has no default in a request, where generators would require the member', () => {
    const inRequests = operations.flatMap(({ requestBody }) => [
      ...JSON.stringify(requestBody ?? {}).matchAll(/schemas\/(\w+)"/g),
    ]);
    expect(inRequests.length).toBeGreaterThan(5);
    for (const [, name = ''] of inRequests) {
      const { properties = {} } = document.components.schemas[name] ?? {};
      expect([name, Object.entries(properties).filter(([, member]) => 'default' in member)]).toEqual([name, []]);
    }
  });

  it('has bodies of lines as texts', () => {
    const streams = [...objectsIn(document)].filter(([path]) => path.endsWith('/content/application/x-ndjson'));
    expect(streams.length).toBeGreaterThan(3);
    for (const [path, { schema }] of streams) {
      expect([path, schema.type, typeof schema.contentSchema.items]).toEqual([path, 'string', 'object']);
    }
  });

  it('has an example of every request body, and no example that contradicts its schema', () => {
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema(document, 'openapi');
    const faultsOf = (schema: object, example: unknown) => {
      const own = JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"openapi#/'));
      return ajv.validate(own, example) ? [] : ajv.errors;
    };
    for (const { operationId, requestBody } of operations) {
      for (const [type, { schema = {}, example }] of Object.entries(requestBody?.content ?? {})) {
        expect([operationId, type, example === undefined]).toEqual([operationId, type, false]);
        expect([operationId, faultsOf(schema, example)]).toEqual([operationId, []]);
        const lines = typeof example === 'string' && type.includes('ndjson') ? example.trim().split('\n') : [];
        const items = (schema.contentSchema as { items?: object } | undefined)?.items ?? {};
        for (const line of lines) expect([operationId, faultsOf(items, JSON.parse(line))]).toEqual([operationId, []]);
      }
    }
    let count = 0;
    for (const [path, schema] of objectsIn(document)) {
      if (
        !('example' in schema) ||
        isReference(schema) ||
        !('type' in schema || 'allOf' in schema || 'anyOf' in schema)
      )
        continue;
      if (/\/(example|properties)$/.test(path)) continue;
      const { example, ...rest } = schema;
      expect([path, faultsOf(rest, example)]).toEqual([path, []]);
      count++;
    }
    expect(count).toBeGreaterThan(50);
  });

  it('permits null where the service reads it as an absent member, and not in a required one', () => {
    const { schemas } = document.components as any;
    const faultsOf = (name: string, value: object): number => {
      const ajv = addFormats.default(new Ajv2020({ strict: false }));
      ajv.addSchema({ $id: 'document', components: document.components });
      const check = ajv.compile({ $ref: `document#/components/schemas/${name}` });
      return check(value) ? 0 : (check.errors ?? []).length;
    };
    const nulls = { metadataId: null, mintMetadataId: null, target: null, alternateIds: null, state: null };
    expect(faultsOf('MintRequest', { ...nulls, onExisting: null, leaseUntil: null, namingAuthority: '1' })).toBe(0);
    expect(faultsOf('MintRequest', { namingAuthority: null })).toBe(1);
    expect(faultsOf('WithdrawRequest', { reason: 'x', replacedBy: null, reasonCode: null })).toBe(0);
    expect(faultsOf('CreateApiKey', { client: 'c', scopes: ['read'], namingAuthorities: null, label: null })).toBe(0);
    expect(faultsOf('CreateNamingAuthority', { namingAuthority: '1', uuidVersion: null, profile: null })).toBe(0);
    expect(schemas.TransferLineInput.properties.version.type).toEqual(['integer', 'null']);
    expect(schemas.TransferLine.properties.version.type).toBe('integer');
    expect(text).not.toContain('x-null-is-absent');
  });
});
