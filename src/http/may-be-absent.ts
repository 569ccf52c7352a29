import { ValidateIf } from 'class-validator';

/**
 * Lets a member be left out, but not be null: `IsOptional` of class-validator takes null for absent, and null would reach
 * code that was promised a text.
 */
export const MayBeAbsent = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

/** Lets a member be left out, or be null where null has a meaning of its own, such as "remove it". */
export const MayBeAbsentOrNull = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== undefined && value !== null);
