import { applyDecorators } from '@nestjs/common';
import { IsIn } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { Read } from './fast-rules.js';
import { Optional } from './member-decorators.js';

const BOOLEANS: ReadonlyMap<unknown, boolean> = new Map([
  ['true', true],
  ['false', false],
]);

/** A query parameter that is `true` or `false`. @param standard the default, if there is one. */
export const IsQueryBoolean = (example: boolean, standard?: boolean): PropertyDecorator =>
  applyDecorators(
    IsIn([true, false], { message: '$property must be true or false' }),
    Read((value) => BOOLEANS.get(value) ?? value),
    Optional(),
    ApiProperty({ type: 'boolean', required: false, example, ...(standard !== undefined && { default: standard }) }),
  );
