import { type ArgumentMetadata, Body, Query, type ValidationError, ValidationPipe } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { Problem, type ProblemDetail, invalidRequest, pointerStep } from '../../problem/problem.js';
import { FastRules, cutBehindFaults, memberNamesOf, nestedDtoOf } from './fast-rules.js';
import { isReservedName } from '../body/json-body.js';
import { StreamedBody } from '../body/streamed-body.js';

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true, stopAtFirstError: true };

const MAX_ERRORS = 100;

/** Validates bodies and queries; rejects unknown members. */
export class RequestValidation extends ValidationPipe {
  constructor() {
    super({
      transform: true,
      ...RULES,
      exceptionFactory: (errors) => new InvalidMembers(errors),
    });
  }

  /** @returns the body as sent, or a query DTO. @throws Problem INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE */
  override async transform(sent: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const accepted = acceptedAtOnce(sent, metadata);
    if (accepted !== null) return accepted;
    const value = withoutNulls(sent, metadata);
    const without = value === sent ? null : acceptedAtOnce(value, metadata);
    if (without !== null) return without;
    if (value instanceof StreamedBody) {
      throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'This request has no stream; send application/json.');
    }
    if (metadata.type === 'body' && Array.isArray(value) && isDto(metadata.metatype)) {
      throw noObject(value, metadata.metatype);
    }
    const root = metadata.type === 'query' ? '#query' : '';
    // In a body, the JSON parser rejects reserved names. In a query, class-transformer would drop them.
    const reserved = metadata.type === 'query' ? Object.keys(value as object).filter(isReservedName) : [];
    if (reserved.length > 0) {
      throw invalidMembers(
        reserved.map((name) => ({ pointer: `${root}/${name}`, detail: unknownMember(name, metadata.metatype, root) })),
      );
    }
    try {
      return await super.transform(withFewFaults(value, metadata), metadata);
    } catch (error) {
      // If the body is not an object, class-validator would report each member of its DTO.
      if (error instanceof InvalidMembers && metadata.type === 'body' && (typeof value !== 'object' || value === null))
        throw noObject(value, metadata.metatype);
      if (error instanceof InvalidMembers)
        throw invalidMembers(error.members.flatMap((member) => describe(member, root, metadata.metatype)));
      throw error;
    }
  }
}

const VALIDATION = new RequestValidation();

/** Injects the validated body. A global pipe would wait for each parameter of each handler. */
export const ValidBody = (): ParameterDecorator => Body(VALIDATION);

export const ValidQuery = (): ParameterDecorator => Query(VALIDATION);

/** Validates one part of a large body. @throws Problem INVALID_REQUEST with pointers into this part. */
export function readPart<T extends object>(dto: new () => T, sent: unknown): T {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent))
    throw noObject(sent, dto, hasItems(dto) ? 'The body' : 'The line or item');
  const rules = FastRules.of(dto);
  if (rules.accept(sent)) return sent as T;
  const value = rules.withoutNulls(sent);
  if (value !== sent && rules.accept(value)) return value as T;
  // class-transformer would copy every level of a list whose items have no DTO.
  const few = withFewUnknown(dto, value);
  const part = rules.isFlat ? Object.assign(new dto(), few) : plainToInstance(dto, few);
  const errors = validateSync(part, RULES);
  if (errors.length > 0) throw invalidMembers(errors.flatMap((member) => describe(member, '', dto)));
  return part;
}

/** Maximum number of unknown members that are reported for a part: each takes 40 µs, and its detail lists the permitted members. */
const MAX_UNKNOWN = 3;

function withFewUnknown(dto: Dto, value: object): object {
  const known = memberNamesOf(dto);
  const others = new Set(
    Object.keys(value)
      .filter((name) => !known.includes(name))
      .slice(MAX_UNKNOWN),
  );
  if (others.size === 0) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !others.has(name)));
}

function acceptedAtOnce(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
  if (!isDto(metatype)) return null;
  if (type === 'body') return FastRules.of(metatype).accept(value) ? value : null;
  return type === 'query' ? FastRules.of(metatype).read(value as object) : null;
}

/** Limits the time of class-validator, which takes 20 µs for each error. */
function withFewFaults(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
  if (type !== 'body' || !isDto(metatype) || typeof value !== 'object' || value === null) return value;
  return cutBehindFaults(metatype, value, MAX_ERRORS);
}

function withoutNulls(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
  if (type !== 'body' || !isDto(metatype) || value instanceof StreamedBody) return value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return FastRules.of(metatype).withoutNulls(value);
}

function isDto(metatype: ArgumentMetadata['metatype']): metatype is new () => object {
  return metatype !== undefined && metatype !== Object && metatype !== Array && metatype !== String;
}

/** Carries validation errors to `transform`, which completes their pointers. */
class InvalidMembers extends Error {
  constructor(readonly members: ValidationError[]) {
    super('invalid members');
  }
}

function invalidMembers(details: ProblemDetail[]): Problem {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const detail = `${first?.pointer.replace(/^#query\//, '')}: ${first?.detail}${more}`;
  return new Problem('INVALID_REQUEST', detail, { errors: details.slice(0, MAX_ERRORS) });
}

/** The problem for a body or part that is not an object. */
function noObject(sent: unknown, dto: ArgumentMetadata['metatype'], part = 'The body'): Problem {
  const isList = Array.isArray(sent) && isDto(dto) && hasItems(dto);
  const detail = `must be a JSON object${isList ? ' that has the list as its member "items"' : ''}`;
  return invalidRequest('', detail, `${part} ${detail}.`);
}

const hasItems = (dto: Dto): boolean => memberNamesOf(dto).includes('items');

/** The class-validator rule that rejects unknown members. */
const UNKNOWN_MEMBER = 'whitelistValidation';

function unknownMember(name: string, dto: ArgumentMetadata['metatype'], root: string): string {
  const rejection = isDto(dto) ? rejectionOf(dto, name) : undefined;
  if (rejection !== undefined) return rejection;
  const permitted = isDto(dto) ? memberNamesOf(dto) : [];
  return `"${name}" is not a ${root.startsWith('#query') ? 'parameter' : 'member'} of this request; permitted: ${permitted.join(', ')}`;
}

function describe(
  { property, constraints, children }: ValidationError,
  parent: string,
  dto: ArgumentMetadata['metatype'],
): ProblemDetail[] {
  const pointer = `${parent}/${pointerStep(property)}`;
  const own = Object.entries(constraints ?? {}).map(([rule, text]) => ({
    pointer,
    detail: rule === UNKNOWN_MEMBER ? unknownMember(property, dto, parent) : text,
  }));
  // The children of a list are its items, which have the DTO of the list.
  const nested = isDto(dto) ? (nestedDtoOf(dto, property) ?? dto) : undefined;
  return [...own, ...(children ?? []).flatMap((child) => describe(child, pointer, nested))];
}

type Dto = new () => object;

const REJECTED = new WeakMap<object, Readonly<Record<string, string>>>();

/** Explains where members that a DTO does not have are permitted. Maps their names to details of the problem. */
export const RejectsMembers =
  (details: Readonly<Record<string, string>>): ClassDecorator =>
  (dto) => {
    REJECTED.set(dto, details);
  };

/** The detail for a member that a DTO rejects by `RejectsMembers`, if any. */
export function rejectionOf(dto: Dto, name: string): string | undefined {
  const details = REJECTED.get(dto);
  return details !== undefined && Object.hasOwn(details, name) ? details[name] : undefined;
}

/** Converts pointers of problems of a service, such as `/target`, to query parameters, such as `#query/target`. */
export async function withQueryPointers<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Problem ? ofQuery(error) : error;
  }
}

function ofQuery({ code, detail, extensions }: Problem): Problem {
  const errors = extensions.errors?.map((error) =>
    error.pointer.startsWith('/') ? { ...error, pointer: `#query${error.pointer}` } : error,
  );
  return new Problem(code, detail, { ...extensions, ...(errors !== undefined && { errors }) });
}
