import { isDeepStrictEqual } from 'node:util';
import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { Problem } from '../../problem/problem.js';
import { Optional } from './member-decorators.js';

const COMPARED = Symbol('read-only:compared');

type Schema = NonNullable<Parameters<typeof ApiProperty>[0]>;

/** A member that no change can set. Validation accepts any value; `requireReadOnly` compares it. */
export const ReadOnly = (description?: string, schema: Schema = {}): PropertyDecorator =>
  applyDecorators(Computed(description, schema), (target: object, name: string | symbol) => {
    Reflect.defineMetadata(COMPARED, true, target, name);
  });

/** A read-only member whose sent value is ignored: other records or the configuration can change it without a new version. */
export const Computed = (description?: string, { format, ...schema }: Schema = {}): PropertyDecorator =>
  applyDecorators(
    ...[Optional(), ValidateBy({ name: 'isReadOnly', validator: { validate: () => true } })],
    ApiProperty({ ...schema, description, format, readOnly: true, required: false } as Schema),
  );

export const READ_ONLY_TIME = { type: String, format: 'date-time' } as const;

/** Adds members that the code does not read, such as `ReadOnly` ones, with their decorators. */
export const Members =
  (members: Readonly<Record<string, PropertyDecorator>>): ClassDecorator =>
  ({ prototype }) => {
    for (const [name, decorate] of Object.entries(members)) decorate(prototype as object, name);
  };

/**
 * Permits a change that repeats the representation on which it is based.
 * @param current the representation, read under the lock of the change.
 * @throws Problem READ_ONLY_MEMBER with a pointer to each read-only member that differs from `current`.
 */
export function requireReadOnly(dto: new () => object, change: object, current: object): void {
  const now = current as Readonly<Record<string, unknown>>;
  const errors = Object.entries(change).flatMap(([name, value]) => {
    const isCompared = Reflect.hasMetadata(COMPARED, dto.prototype as object, name);
    if (!isCompared || value === undefined || isDeepStrictEqual(value, now[name])) return [];
    return [
      { pointer: `/${name}`, detail: 'is read-only and differs from the current value; send that value or omit it' },
    ];
  });
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : '';
  throw new Problem('READ_ONLY_MEMBER', `${first.pointer} ${first.detail}${more}`, { errors });
}
