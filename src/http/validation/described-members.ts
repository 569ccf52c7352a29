import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsIn, IsInt, IsString, Max, MaxLength, Min } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_LANGUAGE_LENGTH } from '../../registry/members.js';
import { IsLanguage, Optional, OptionalOrNull } from './member-decorators.js';

/** A text that may be absent, but not null. The compiler describes it by the other decorators of the member, such as `MaxLength`. */
export const OptionalText = (): PropertyDecorator => applyDecorators(IsString(), Optional());

export const OptionalBoolean = (): PropertyDecorator => applyDecorators(IsBoolean(), Optional());

/** A text of at most `most` UTF-16 code units that may be absent or null. @param rules checked after the length. */
export const NullableText = (most: number, example: string | null, ...rules: PropertyDecorator[]): PropertyDecorator =>
  applyDecorators(
    ...[IsString(), MaxLength(most), ...rules, OptionalOrNull()],
    ApiProperty({ type: String, nullable: true, required: false, maxLength: most, example }),
  );

export const NullableLanguage = (example: string | null): PropertyDecorator =>
  applyDecorators(
    ...[IsLanguage(), OptionalOrNull()],
    ApiProperty({ type: String, nullable: true, required: false, maxLength: MAX_LANGUAGE_LENGTH, example }),
  );

/** One of the values, or absent. @param schema further members of the schema. @param message by default, a list of the values. */
export const OptionalChoice = (
  values: readonly (string | number)[],
  schema: { enumName?: string; default?: string; example?: string | number; type?: 'integer' } = {},
  message?: string,
): PropertyDecorator =>
  applyDecorators(
    ...[IsIn(values, message === undefined ? {} : { message }), Optional()],
    ApiProperty({ enum: [...values], required: false, ...schema }),
  );

/** A whole number in a range. @param unit for the message, such as "of seconds ". */
export const IsWholeNumber = (least: number, most: number, unit = ''): PropertyDecorator => {
  const message = `$property must be a whole number ${unit}from ${least} to ${most}`;
  return applyDecorators(
    ...[IsInt({ message }), Min(least, { message }), Max(most, { message })],
    ApiProperty({ type: 'integer', minimum: least, maximum: most }),
  );
};
