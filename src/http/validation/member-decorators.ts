import { ValidateIf, Matches, ValidateBy, IsString, MaxLength, ArrayMaxSize, IsArray } from 'class-validator';
import { TIMESTAMP, TIMESTAMP_OR_DATE } from '../../registry/timestamp.js';
import { isTarget, targetFault } from '../../registry/target.js';
import { applyDecorators } from '@nestjs/common';
import { MAX_LANGUAGE_LENGTH, isLanguage } from '../../registry/members.js';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_BYTES } from '../../registry/canonical-name.js';
import { MAX_ALTERNATES } from '../../registry/identifier-record.js';

/** Permits a missing member but not null, which `IsOptional` would permit. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

export const OptionalOrNull = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== undefined && value !== null);

/** Permits null, which is a value, and requires the member. */
export const Nullable = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== null);

const MARKED = new WeakSet<object>();

/** Marks the body of a POST: null in a member that may be absent, and has no meaning of its own for null, is absent. */
export const NullIsAbsent = (): ClassDecorator => (dto) => {
  MARKED.add(dto);
};

/** Whether a DTO or one that it extends is marked. */
export function isNullAbsent(dto: object): boolean {
  for (let each: object | null = dto; each !== null; each = Object.getPrototypeOf(each) as object | null)
    if (MARKED.has(each)) return true;
  return false;
}

export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time such as 2026-11-20T09:30:00Z' });

/** A time or a date of a query; `readTime` reads a date as its begin in UTC. */
export const IsTimeOrDate = (): PropertyDecorator =>
  Matches(TIMESTAMP_OR_DATE, {
    message:
      '$property must be a time such as 2026-11-20T09:30:00Z, or a date such as 2026-11-20, which is its begin in UTC',
  });

export const IsTarget = (): PropertyDecorator =>
  ValidateBy({
    name: 'isTarget',
    validator: {
      validate: isTarget,
      defaultMessage: (validated) => `$property ${targetFault(validated?.value)}`,
    },
  });

/** The document has a pattern of the same meaning that needs no flag: lone surrogates are rejected as JSON. */
export const HasNoControls = (): PropertyDecorator =>
  applyDecorators(
    Matches(/^[^\p{Cc}\p{Cs}]*$/u, { message: '$property must not contain control characters or lone surrogates' }),
    ApiProperty({ pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]*$' }),
  );

export const IsLanguage = (): PropertyDecorator =>
  applyDecorators(
    ValidateBy({
      name: 'isLanguage',
      validator: {
        validate: isLanguage,
        defaultMessage: () => '$property must be a language tag (BCP 47), such as "de" or "pt-BR"',
      },
    }),
    MaxLength(MAX_LANGUAGE_LENGTH),
    IsString(),
  );

/** An optional list of alternate identifiers, in any form. */
export const IsAlternateIds = (): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ArrayMaxSize(MAX_ALTERNATES),
    IsString({ each: true }),
    MaxLength(MAX_STORED_BYTES, { each: true }),
    Optional(),
    ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, maxLength: MAX_STORED_BYTES, required: false }),
  );
