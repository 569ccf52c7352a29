import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name?: string; readonly in?: string; readonly $ref?: string }[];
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters?: Readonly<Record<string, { readonly name: string }>>;
  };
}

const document: Document = JSON.parse(readFileSync(new URL('../../openapi/openapi.json', import.meta.url), 'utf8'));

/** The members of all schemas: the schema, the member and its own schema. */
const members = Object.entries(document.components.schemas).flatMap(([schema, { properties = {} }]) =>
  Object.entries(properties).map(([member, property]) => ({ schema, member, property })),
);

const named = (...names: string[]) => members.filter(({ member }) => names.includes(member));
const shown = (found: typeof members) => found.map(({ schema, member }) => `${schema}.${member}`);

const operations = Object.values(document.paths).flatMap((item) => Object.values(item));

/** Decision 70. */
describe('the vocabulary of the OpenAPI document', () => {
  it('has lists as items, and no other word for them', () => {
    expect(
      shown(named('results', 'inputs', 'records', 'outcomes', 'data').filter(({ property }) => isList(property))),
    ).toEqual([]);
  });

  it('has status as a number, and the word for a resource as state', () => {
    expect(named('status').length).toBeGreaterThan(2);
    expect(shown(named('status').filter(({ property }) => property.type !== 'integer'))).toEqual([]);
    expect(named('state').length).toBeGreaterThan(2);
    for (const { schema, property } of named('state')) {
      expect([schema, ['$ref', 'allOf', 'anyOf', 'enum'].some((keyword) => keyword in property)]).toEqual([
        schema,
        true,
      ]);
    }
  });

  it('has an identifier in a result as a text, and its representation as record', () => {
    for (const { schema, property } of named('identifier')) {
      expect([schema, [property.type].flat().includes('string')]).toEqual([schema, true]);
    }
    expect(named('record').length).toBeGreaterThan(1);
    for (const { schema, property } of named('record')) {
      expect([schema, JSON.stringify(property)]).toEqual([schema, expect.stringMatching(/Identifier(Dto)?"/)]);
    }
  });

  it('has a rejection as problem, and error only in the verdict about a text', () => {
    expect(shown(named('error')).map((each) => each.replace('Dto', ''))).toEqual(['InvalidItem.error']);
    for (const { schema, property } of named('problem')) {
      expect([schema, JSON.stringify(property)]).toEqual([schema, expect.stringContaining('ProblemDocument')]);
    }
  });

  it('has cursor as the parameter of pages and next as their member', () => {
    const parameters = operations.flatMap(({ parameters: sent = [] }) =>
      sent.map(({ name, $ref = '' }) => name ?? document.components.parameters?.[$ref.split('/').pop() ?? '']?.name),
    );
    expect(parameters.filter((name) => name === 'cursor').length).toBeGreaterThan(4);
    expect(parameters.filter((name) => name === 'after' || name === 'page' || name === 'offset')).toEqual([]);
    const pages = Object.entries(document.components.schemas).filter(([name]) => /Page(Dto)?$/.test(name));
    for (const [name, { properties = {} }] of pages) {
      expect([name, Object.keys(properties)]).toEqual([name, expect.arrayContaining(['items', 'next'])]);
    }
  });

  it('has operation IDs of a verb and what it concerns', () => {
    const pattern =
      /^(mint|list|get|lookUp|update|change|activate|withdraw|reinstate|export|import|create|release|normalize|revoke|confirm)[A-Z][A-Za-z]+$/;
    expect(operations.map(({ operationId }) => operationId).filter((id) => !pattern.test(id))).toEqual([]);
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  });
});

function isList({ type }: Schema): boolean {
  return [type].flat().includes('array');
}
