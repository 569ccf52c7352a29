import { ValidateIf, Matches, ValidateBy, IsString, MaxLength, ArrayMaxSize, IsArray } from 'class-validator';
import { TIMESTAMP, TIMESTAMP_OR_DATE } from '../../registry/timestamp.js';
import { isTarget, targetFault } from '../../registry/target.js';
import { applyDecorators } from '@nestjs/common';
import { MAX_LANGUAGE_LENGTH, isLanguage } from '../../registry/members.js';
import { ApiExtension, ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { MAX_ALTERNATES } from '../../registry/identifier-record.js';

/** Permits a missing member but not null, unlike `IsOptional`. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

export const OptionalOrNull = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== undefined && value !== null);

/** Permits null as a value, but requires the member. */
export const Nullable = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== null);

const MARKED = new WeakSet<object>();

/** Marks the body of a POST in which null means absent, for members that may be absent and do not accept null as a value. */
export const NullIsAbsent = (): ClassDecorator => (dto) => {
  MARKED.add(dto);
  ApiExtension('x-null-is-absent', true)(dto);
};

/** Whether a DTO, or one that it extends, is marked with `NullIsAbsent`. */
export function isNullAbsent(dto: object): boolean {
  for (let each: object | null = dto; each !== null; each = Object.getPrototypeOf(each) as object | null)
    if (MARKED.has(each)) return true;
  return false;
}

export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time such as 2026-11-20T09:30:00Z' });

/** A time or date in a query; `readTime` reads a date as its start in UTC. */
export const IsTimeOrDate = (): PropertyDecorator =>
  Matches(TIMESTAMP_OR_DATE, {
    message:
      '$property must be a time such as 2026-11-20T09:30:00Z, or a date such as 2026-11-20, which means its start in UTC',
  });

export const IsTarget = (): PropertyDecorator =>
  ValidateBy(
    { name: 'isTarget', validator: { validate: isTarget } },
    { message: ({ value }) => `$property ${targetFault(value)}` },
  );

/** The OpenAPI pattern excludes only control characters, because `\p{Cs}` needs the flag `u`, which OpenAPI cannot set. */
export const HasNoControls = (): PropertyDecorator =>
  applyDecorators(
    Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: '$property must not contain control characters or lone surrogates' }),
    ApiProperty({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }),
  );

export const IsLanguage = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy(
      { name: 'isLanguage', validator: { validate: isLanguage } },
      { message: '$property must be a language tag (BCP 47), such as "de" or "pt-BR"' },
    ),
    MaxLength(MAX_LANGUAGE_LENGTH),
    IsString(),
  );

export const IsAlternateIds = (isNullable = false): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ArrayMaxSize(MAX_ALTERNATES),
    IsString({ each: true }),
    MaxLength(MAX_STORED_BYTES, { each: true }),
    isNullable ? OptionalOrNull() : Optional(),
    ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, maxLength: MAX_STORED_BYTES, required: false }),
    ...(isNullable ? [ApiProperty({ nullable: true, required: false })] : []),
  );
