import 'reflect-metadata';
import { describe, expect, it, jest } from '@jest/globals';
import { getMetadataStorage } from 'class-validator';
import { TransferLineDto } from '../../../src/api/import-export/transfer-line.dto.js';
import { ListQueryDto } from '../../../src/api/lookup/list-query.dto.js';
import { NormalizeRequestDto } from '../../../src/api/normalization/normalize-request.dto.js';
import { MintItemDto } from '../../../src/api/minting/batch.dto.js';
import { cutBehindFaults } from '../../../src/http/validation/cut-behind-faults.js';
import { ValidBody, ValidQuery, parseQuery, readPart } from '../../../src/http/validation/request-validation.js';
import type { Problem, ProblemDetail } from '../../../src/problem/problem.js';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';

type Dto = new () => object;

const unknown = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`u${i}`, value]));

/** The pipe that validates the parameters of handlers. */
function pipeOf(decorator: ParameterDecorator): { transform: (value: unknown, metadata: object) => unknown } {
  class Handler {
    handle(): void {}
  }
  decorator(Handler.prototype, 'handle', 0);
  const [parameter] = Object.values(Reflect.getMetadata(ROUTE_ARGS_METADATA, Handler, 'handle') as object);
  return parameter.pipes[0];
}

function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (error) {
    return error as Problem;
  }
  throw new TypeError('nothing was rejected');
}

const ofBody = (dto: Dto, body: unknown): readonly ProblemDetail[] =>
  problemOf(() => pipeOf(ValidBody()).transform(body, { type: 'body', metatype: dto })).extensions.errors!;

const ofQuery = (query: object): Problem =>
  problemOf(() => pipeOf(ValidQuery()).transform(query, { type: 'query', metatype: ListQueryDto }));

const ofPart = (dto: Dto, part: object): readonly ProblemDetail[] =>
  problemOf(() => readPart(dto, part)).extensions.errors!;

describe('what class-validator receives', () => {
  const items = (count: number, item: object) => Array.from({ length: count }, () => item);

  it('has at most the limit of unknown members, of all items together, without their values', () => {
    const sent = { items: items(1000, { input: 'x', ...unknown(30, { large: [1] }) }) };
    expect(cutBehindFaults(NormalizeRequestDto, sent, 100)).toEqual({
      items: [...items(3, { input: 'x', ...unknown(30, null) }), { input: 'x', ...unknown(10, null) }],
    });
  });

  it('ends with the item that has the last fault', () => {
    const wrong = { input: 1, kind: 'x', context: { profile: 1 } };
    const sent = { items: [{ input: 'x' }, ...items(1000, wrong)] };
    expect(cutBehindFaults(NormalizeRequestDto, sent, 100)).toEqual({
      items: [{ input: 'x' }, ...items(34, { ...wrong, context: { profile: null } })],
    });
  });

  it('is everything if nothing is wrong', () => {
    const sent = { items: items(1000, { input: 'x', context: { resolver: { scheme: 'https', authority: 'a' } } }) };
    expect(cutBehindFaults(NormalizeRequestDto, sent, 100)).toEqual(sent);
  });
});

describe('the details', () => {
  it('of a body are at most a hundred, with the pointers of its first faults', () => {
    const errors = ofBody(NormalizeRequestDto, { items: [{ input: 1 }, { input: 'x', ...unknown(99) }, { input: 2 }] });
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '/items/0/input',
      ...Array.from({ length: 99 }, (_, i) => `/items/1/u${i}`),
    ]);
  });

  it('of a line name three unknown members, nested ones included, and all wrong members', () => {
    const errors = ofPart(TransferLineDto, { identifier: 1, ...unknown(9), version: 'x', tombstone: unknown(5) });
    const pointers = errors.map(({ pointer }) => pointer);
    expect(pointers).toEqual(expect.arrayContaining(['/u0', '/u1', '/u2', '/identifier', '/version']));
    expect(pointers.filter((pointer) => /u\d/.test(pointer))).toHaveLength(3);
    expect(ofPart(MintItemDto, { colour: 1 })[0]!.detail).toMatch(
      /^"colour" is not a member of this request; permitted: alternateIds, clientRef, /,
    );
  });
});

describe('a query', () => {
  it('has at most a hundred parameters, repeated ones included', () => {
    const detail = 'the query has more than 100 parameters';
    expect(ofQuery(unknown(14_000))).toMatchObject({
      code: 'INVALID_REQUEST',
      extensions: { errors: [{ pointer: '#query/u100', detail }] },
    });
    expect(ofQuery({ limit: '1', state: Array(100).fill('active') }).extensions.errors).toEqual([
      { pointer: '#query/state', detail },
    ]);
    expect(ofQuery(unknown(100)).extensions.errors).toHaveLength(100);
  });

  it.each([
    ['9,000 parameters', Array.from({ length: 9000 }, (_, number) => `u${number}`).join('&'), '#query/u100'],
    ['empty parameters', '&'.repeat(60_000), '#query/'],
  ])('is parsed up to one parameter too many: %s', (_, text, pointer) => {
    const query = parseQuery(text);
    expect(Object.values(query).flat()).toHaveLength(101);
    expect(ofQuery(query).extensions.errors).toEqual([{ pointer, detail: 'the query has more than 100 parameters' }]);
  });

  it.each([
    ['', {}],
    ['&&a&', { a: '' }],
    ['a=b=c&a=+d%20&%61', { a: ['b=c', ' d ', ''] }],
    ['limit=%C3&%=x&=y', { limit: '%C3', '%': 'x', '': 'y' }],
    ['a=%zz+b%20%2B', { a: '%zz b%20%2B' }],
    ['__proto__=x', Object.fromEntries([['__proto__', 'x']])],
  ])('is parsed as a form, and keeps texts that cannot be decoded: %s', (text, parsed) => {
    expect({ ...parseQuery(text) }).toEqual(parsed);
  });
});

it('the metadata of a DTO are read once for the names of its members', () => {
  ofPart(MintItemDto, unknown(3));
  const read = jest.spyOn(getMetadataStorage(), 'getTargetValidationMetadatas');
  ofPart(MintItemDto, unknown(3));
  // class-validator reads them once for each object.
  expect(read).toHaveBeenCalledTimes(1);
});
