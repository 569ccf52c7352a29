import { type ValidationError, ValidationPipe } from '@nestjs/common';
import { Problem, type ProblemDetail } from '../problem/problem.js';

/** Holds every body and query against its DTO; a member that the DTO does not have is refused, never dropped. */
export const requestValidation = (): ValidationPipe =>
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    forbidUnknownValues: true,
    stopAtFirstError: true,
    exceptionFactory: (errors) => invalidRequest(errors),
  });

function invalidRequest(errors: ValidationError[]): Problem {
  const details = errors.flatMap((error) => describe(error, ''));
  const first = details[0];
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const detail = first === undefined ? 'Send a JSON object.' : `${first.pointer} ${first.detail}${more}`;
  return new Problem('INVALID_REQUEST', detail, { errors: details });
}

function describe({ property, constraints, children }: ValidationError, parent: string): ProblemDetail[] {
  const pointer = `${parent}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.values(constraints ?? {}).map((detail) => ({ pointer, detail }));
  return [...own, ...(children ?? []).flatMap((child) => describe(child, pointer))];
}
