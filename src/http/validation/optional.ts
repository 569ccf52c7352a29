import { ValidateIf } from 'class-validator';

/** Permits a missing member but not null, which `IsOptional` would permit. */
export const Optional = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== undefined);

export const OptionalOrNull = (): PropertyDecorator =>
  ValidateIf((_, value: unknown) => value !== undefined && value !== null);

/** Permits null, which is a value, and requires the member. */
export const Nullable = (): PropertyDecorator => ValidateIf((_, value: unknown) => value !== null);
