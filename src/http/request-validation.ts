import { type ArgumentMetadata, type ValidationError, ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Problem, type ProblemDetail } from '../problem/problem.js';
import { DtoRules } from './dto-rules.js';
import { isReservedName } from './json-body.js';
import { StreamedBody } from './streamed-body.js';

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true, stopAtFirstError: true };

/** Holds every body and query against its DTO; a member that the DTO does not have is refused, never dropped. */
export class RequestValidation extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      ...RULES,
      exceptionFactory: (errors) => new InvalidMembers(errors),
    });
  }

  /**
   * @returns a body as it was sent when it is what its DTO describes; of a query, an instance of the DTO.
   * @throws Problem INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE
   */
  override async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const accepted = acceptedAtOnce(value, metadata);
    if (accepted !== null) return accepted;
    if (value instanceof StreamedBody) {
      throw new Problem('UNSUPPORTED_MEDIA_TYPE', `${value.mediaType} is not read here; send application/json.`);
    }
    const root = metadata.type === 'query' ? '#query' : '';
    // A reader of the body refuses these before; class-transformer would drop them.
    const reserved = metadata.type === 'query' ? Object.keys(value as object).filter(isReservedName) : [];
    if (reserved.length > 0) {
      throw invalidRequest(
        reserved.map((name) => ({ pointer: `${root}/${name}`, detail: `property ${name} should not exist` })),
      );
    }
    try {
      return await super.transform(value, metadata);
    } catch (error) {
      if (error instanceof InvalidMembers)
        throw invalidRequest(error.members.flatMap((member) => describe(member, root)));
      throw error;
    }
  }
}

/**
 * Holds one of many parts of a body against its DTO, where all of them at once would take too long.
 * @throws Problem INVALID_REQUEST with pointers into this part.
 */
export function readPart<T extends object>(dto: new () => T, value: unknown): T {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest([]);
  if (DtoRules.of(dto).accept(value)) return value as T;
  const part = plainToInstance(dto, value);
  const errors = validateSync(part, RULES);
  if (errors.length > 0) throw invalidRequest(errors.flatMap((member) => describe(member, '')));
  return part;
}

/** What a body or a query is read as when it is surely what its DTO describes; null where class-validator has to tell. */
function acceptedAtOnce(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
  if (!isDto(metatype)) return null;
  if (type === 'body') return DtoRules.of(metatype).accept(value) ? value : null;
  return type === 'query' ? DtoRules.of(metatype).read(value as object) : null;
}

/** Whether a parameter is declared as a class of ours; what is not is left as it is. */
function isDto(metatype: ArgumentMetadata['metatype']): metatype is new () => object {
  return metatype !== undefined && metatype !== Object && metatype !== Array && metatype !== String;
}

/** Carries what the validator found to where the part of the request is known. */
class InvalidMembers extends Error {
  constructor(readonly members: ValidationError[]) {
    super('invalid members');
  }
}

function invalidRequest(details: ProblemDetail[]): Problem {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const detail = first === undefined ? 'Send a JSON object.' : `${first.pointer}: ${first.detail}${more}`;
  return new Problem('INVALID_REQUEST', detail, { errors: details });
}

function describe({ property, constraints, children }: ValidationError, parent: string): ProblemDetail[] {
  const pointer = `${parent}/${property.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const own = Object.values(constraints ?? {}).map((detail) => ({ pointer, detail }));
  return [...own, ...(children ?? []).flatMap((child) => describe(child, pointer))];
}
