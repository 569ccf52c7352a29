import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

interface Part {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly operationId: string;
            readonly parameters?: readonly Part[];
            readonly responses: Readonly<Record<string, { readonly headers?: object }>>;
          }
        >
      >
    >
  >;
  readonly components: Readonly<Record<string, Readonly<Record<string, Part>>>>;
}

const read = (name: string): string => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8');
const document: Document = JSON.parse(read('openapi/openapi.json'));
const contract = read('docs/reference/api.md');

/** The rows of the operations: the first cells as they are without backticks, the last one as its names in backticks. */
function operations(): { readonly cells: string[]; readonly names: string[] }[] {
  const [, section = ''] = /^## Operations\n([^]*?)^## /m.exec(contract) ?? [];
  return [...section.matchAll(/^\| (`.*?) \|$/gm)].map(([, row = '']) => {
    const cells = row.split(' | ').map((cell) => cell.trim());
    const names = [...(cells.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    return { cells: cells.map((cell) => cell.replaceAll('`', '')), names };
  });
}

function resolved(part: Part): Part {
  if (part.$ref === undefined) return part;
  const [, , kind = '', name = ''] = part.$ref.split('/');
  return document.components[kind]?.[name] ?? {};
}

describe('docs/reference/api.md and the OpenAPI document', () => {
  it('have the same operations, with the same parameters', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, { operationId, parameters = [] }]) => ({
        call: [operationId, `${method.toUpperCase()} ${path}`],
        parameters: parameters
          .map(resolved)
          .filter((parameter) => parameter.in !== 'path')
          .map(({ name = '' }) => name)
          .sort(),
      })),
    );
    const written = operations().map(({ cells, names }) => ({
      call: cells.slice(0, 2),
      parameters: cells.length > 2 ? names.sort() : [],
    }));
    const sorted = (calls: typeof written) =>
      [...calls].sort((one, other) => (String(one.call) < String(other.call) ? -1 : 1));
    expect(sorted(written)).toEqual(sorted(described));
  });
});

it('every operation on one resource with an entity tag has If-Match and If-None-Match, and a read has 304', () => {
  const onTagged = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { operationId, parameters = [], responses }]) =>
      path.includes('{') && 'ETag' in (responses['200']?.headers ?? {})
        ? {
            operationId,
            preconditions: parameters
              .map((part) => resolved(part).name)
              .filter((name) => name === 'If-Match' || name === 'If-None-Match')
              .sort(),
            isNotModified: [method, '304' in responses],
          }
        : [],
    ),
  );
  const preconditions = ['If-Match', 'If-None-Match'];
  expect(onTagged).toEqual(
    [
      ['getIdentifier', 'get', true] as const,
      ['updateIdentifier', 'patch', false] as const,
      ['activateIdentifier', 'post', false] as const,
      ['withdrawIdentifier', 'post', false] as const,
      ['reinstateIdentifier', 'post', false] as const,
      ['getNamingAuthority', 'get', true] as const,
      ['updateNamingAuthority', 'patch', false] as const,
    ].map(([operationId, ...isNotModified]) => ({ operationId, preconditions, isNotModified })),
  );
});
