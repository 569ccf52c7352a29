import { type ParsedUrlQuery, parse } from 'node:querystring';
import { type ArgumentMetadata, Body, type PipeTransform, Query } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { type ValidationError, validateSync } from 'class-validator';
import { Problem, type ProblemDetail, invalidRequest, pointerStep } from '../../problem/problem.js';
import { cutBehindFaults } from './cut-behind-faults.js';
import { FastRules, nestedDtoOf } from './fast-rules.js';
import { RESERVED_NAMES } from '../body/json-body.js';
import { StreamedBody } from '../body/streamed-body.js';
import { decoded } from '../request-target.js';

const RULES = { whitelist: true, forbidNonWhitelisted: true, forbidUnknownValues: true, stopAtFirstError: true };

const MAX_ERRORS = 100;

/** Maximum number of unknown members reported for a part, because the detail of each lists the permitted members. */
const MAX_UNKNOWN_OF_PART = 3;

/** Maximum number of query parameters, equal to the maximum number of members of a JSON object. */
const MAX_PARAMETERS = 100;

const MAX_NAME = 100;

type Dto<T extends object = object> = new () => T;

/** Validates bodies and queries; rejects unknown members. */
class RequestValidation implements PipeTransform {
  transform(sent: unknown, { type, metatype: dto }: ArgumentMetadata): unknown {
    if (sent instanceof StreamedBody) {
      throw new Problem('UNSUPPORTED_MEDIA_TYPE', 'This request has no stream; send application/json.');
    }
    if (!isDto(dto)) return sent;
    if (type === 'query') return readQuery(dto, sent as object);
    // A missing body is valid if no member is required.
    const isMissing = sent === undefined || sent === null;
    try {
      return readObject(dto, isMissing ? {} : sent);
    } catch (error) {
      throw isMissing && error instanceof Problem ? noObject(sent, dto) : error;
    }
  }
}

const VALIDATION = new RequestValidation();

/** Injects the validated body. A global pipe would wait for each parameter of each handler. */
export const ValidBody = (): ParameterDecorator => Body(VALIDATION);

export const ValidQuery = (): ParameterDecorator => Query(VALIDATION);

/** Validates one part of a large body. @throws Problem INVALID_REQUEST with pointers into this part. */
export function readPart<T extends object>(dto: Dto<T>, sent: unknown): T {
  return readObject(dto, sent, true);
}

function readObject<T extends object>(dto: Dto<T>, sent: unknown, isPart = false): T {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) throw noObject(sent, dto, isPart);
  const rules = FastRules.of(dto);
  if (rules.accept(sent)) return sent as T;
  const value = rules.withoutNulls(sent);
  if (value !== sent && rules.accept(value)) return value as T;
  const few = cutBehindFaults(dto, value, MAX_ERRORS, isPart ? MAX_UNKNOWN_OF_PART : MAX_ERRORS);
  // class-transformer would copy every level of a list whose items have no DTO.
  return accepted(dto, rules.isFlat ? Object.assign(new dto(), few) : plainToInstance(dto, few), '');
}

function readQuery(dto: Dto, query: object): object {
  requireFew(query);
  const read = FastRules.of(dto).read(query);
  if (read !== null) return read;
  // In a body, the JSON parser rejects reserved names. In a query, class-transformer would drop them.
  const reserved = Object.keys(query).filter((name) => RESERVED_NAMES.has(name));
  if (reserved.length > 0) {
    throw invalidMembers(
      reserved.map((name) => ({ pointer: `#query/${name}`, detail: unknownMember(name, dto, '#query') })),
    );
  }
  return accepted(dto, plainToInstance(dto, query), '#query');
}

function accepted<T extends object>(dto: Dto, instance: T, root: string): T {
  const errors = validateSync(instance, RULES);
  if (errors.length > 0) throw invalidMembers(errors.flatMap((member) => describe(member, root, dto)));
  return instance;
}

/**
 * Parses a query before any limit of requests applies, so at most one parameter too many, which `requireFew` rejects. If there are too
 * many, empty ones count. A text that is not percent-encoded UTF-8 stays as it is.
 */
export function parseQuery(text: string): ParsedUrlQuery {
  const parts = text.split('&', MAX_PARAMETERS + 1);
  const few = parts.length > MAX_PARAMETERS ? parts.map((part) => part || '=').join('&') : text;
  return parse(few.replaceAll('+', ' '), '&', '=', { maxKeys: 0, decodeURIComponent: (part) => decoded(part) ?? part });
}

function requireFew(query: object): void {
  let sent = 0;
  for (const [name, value] of Object.entries(query)) {
    sent += Array.isArray(value) ? value.length : 1;
    if (sent > MAX_PARAMETERS)
      throw invalidRequest(
        `#query/${pointerStep(name.slice(0, MAX_NAME))}`,
        `the query has more than ${MAX_PARAMETERS} parameters`,
      );
  }
}

function isDto(metatype: ArgumentMetadata['metatype']): metatype is Dto {
  return metatype !== undefined && metatype !== Object && metatype !== Array && metatype !== String;
}

function invalidMembers(details: ProblemDetail[]): Problem {
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const detail = `${first?.pointer.replace(/^#query\//, '')}: ${first?.detail}${more}`;
  return new Problem('INVALID_REQUEST', detail, { errors: details.slice(0, MAX_ERRORS) });
}

function noObject(sent: unknown, dto: Dto, isPart = false): Problem {
  const hasItems = FastRules.of(dto).names.includes('items');
  const part = isPart && !hasItems ? 'The line or item' : 'The body';
  const isList = Array.isArray(sent) && hasItems;
  const detail = `must be a JSON object${isList ? ' that has the list as its member "items"' : ''}`;
  return invalidRequest('', detail, `${part} ${detail}.`);
}

/** The class-validator rule that rejects unknown members. */
const UNKNOWN_MEMBER = 'whitelistValidation';

function unknownMember(name: string, dto: Dto, root: string): string {
  const rejection = rejectionOf(dto, name);
  if (rejection !== undefined) return rejection;
  return `"${name}" is not a ${root.startsWith('#query') ? 'parameter' : 'member'} of this request; permitted: ${FastRules.of(dto).names.join(', ')}`;
}

function describe({ property, constraints, children }: ValidationError, parent: string, dto: Dto): ProblemDetail[] {
  const pointer = `${parent}/${pointerStep(property)}`;
  const own = Object.entries(constraints ?? {}).map(([rule, text]) => ({
    pointer,
    detail: rule === UNKNOWN_MEMBER ? unknownMember(property, dto, parent) : text,
  }));
  // The children of a list are its items, which have the DTO of the list.
  const nested = nestedDtoOf(dto, property) ?? dto;
  return [...own, ...(children ?? []).flatMap((child) => describe(child, pointer, nested))];
}

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
