import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiHeader, TEXT, textHeader } from '../../openapi/annotations.js';
import type { ProblemCode } from '../../problem/catalogue.js';
import { Problem } from '../../problem/problem.js';

/** The value of `If-Match` or `If-None-Match` (RFC 9110 13.1). */
export type EntityTags = '*' | readonly EntityTag[];

interface EntityTag {
  readonly isWeak: boolean;
  readonly opaque: string;
}

/** Identifies a state of a record. After a restore of the database, a version number can be used again, with another time. */
interface Changed {
  readonly version: number;
  readonly updatedAt: Date | string;
}

/**
 * The strong entity tag (RFC 9110 8.8.3) of the JSON of a record: version, time of the last change, and a digest of the JSON. The digest is
 * needed because `describes` and `counts` change with other records, and `uris` with the configuration.
 */
export function recordTagOf(record: Changed, json = JSON.stringify(record)): string {
  return `"${changeOf(record)}-${digestOf(json)}"`;
}

/** The strong entity tag of a page or link set. A change cannot use it. */
export function viewTagOf(body: string): string {
  return `"${digestOf(body)}"`;
}

function changeOf({ version, updatedAt }: Changed): string {
  return `${version}-${new Date(updatedAt).getTime().toString(36)}`;
}

function digestOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, 16);
}

/** An entity tag (RFC 9110 8.8.3), which may contain a comma. */
const TAG = /(W\/)?("[\x21\x23-\x7e\x80-\xff]*")/g;

/** A list of entity tags, in which elements may be empty (RFC 9110 5.6.1). */
const TAGS =
  /^[\t ,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:[\t ]*,[\t ,]*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*[\t ,]*$/;

export function readIfMatch(header: string | undefined): EntityTags | undefined {
  if (header === undefined) return undefined;
  const tags = parseEntityTags(header);
  if (tags !== null) return tags;
  const detail = 'expected "*" or entity tags in double quotes, separated by commas';
  throw ifMatchProblem('INVALID_PRECONDITION', detail, 'If-Match is malformed: ');
}

/** @throws Problem PRECONDITION_REQUIRED with the detail if a change has no `If-Match`. */
export function requireIfMatch(tags: EntityTags | undefined, detail: string): EntityTags {
  if (tags !== undefined) return tags;
  throw ifMatchProblem('PRECONDITION_REQUIRED', detail, 'If-Match is required to prevent lost updates: ');
}

export function ifMatchProblem(code: ProblemCode, detail: string, summary = ''): Problem {
  return new Problem(code, `${summary}${detail}.`, { errors: [{ pointer: '#header/If-Match', detail }] });
}

export const ApiIfMatch = (required: boolean): MethodDecorator =>
  ApiHeader({
    name: 'If-Match',
    required,
    description:
      'The states of the resource that permit the request: values of `ETag`, versions in double quotes such as `"3"`, or `*` for any. ' +
      'Unlike a version, an `ETag` also detects a restore of the database. A difference without a new version, ' +
      'such as a difference in `describes`, `newerVersions` or `counts`, does not cause a conflict.',
    ...TEXT,
    ...(required && { example: '*' }),
  });

export const ApiIfNoneMatch = (): MethodDecorator =>
  ApiHeader({
    name: 'If-None-Match',
    required: false,
    ...textHeader(
      'One or more values of `ETag`, or `*` for any. If one of them is current, a read returns 304, and a change returns 412.',
    ),
  });

/**
 * Evaluates the preconditions of a read (RFC 9110 13.2.2), and then sets its headers.
 * @param record the record whose JSON is the representation; undefined for another representation.
 * @returns whether the client has the representation, so that the status is 304.
 * @throws Problem PRECONDITION_FAILED, or INVALID_PRECONDITION for a malformed `If-Match`.
 */
export function isStored(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  headers: Readonly<Record<string, string>> & { readonly etag: string },
  record?: Changed,
): boolean {
  const { etag } = headers;
  const ifMatch = readIfMatch(request.headers['if-match']);
  if (
    ifMatch !== undefined &&
    !(record === undefined ? matchesStrongly(ifMatch, etag) : matchesRecord(ifMatch, record))
  ) {
    const detail = `the entity tag of the representation is ${etag}`;
    throw ifMatchProblem('PRECONDITION_FAILED', detail, 'If-Match does not match: ');
  }
  const isKnown = matchesWeakly(request.headers['if-none-match'], etag);
  void reply.headers(headers);
  if (isKnown) void reply.status(304);
  return isKnown;
}

/** @param kind the kind of record, such as "identifier". @throws Problem PRECONDITION_FAILED if `If-Match` does not permit a change. */
export function requireMatch(tags: EntityTags, record: Changed, kind: string): void {
  if (matchesRecord(tags, record)) return;
  const strong = tags === '*' ? tags : tags.map(({ opaque }) => ({ isWeak: false, opaque }));
  const detail = matchesRecord(strong, record)
    ? `If-Match has a weak entity tag, perhaps of a proxy that compresses, and only a strong one permits a change: send "${record.version}"`
    : `If-Match does not match version ${record.version} of the ${kind}; read it again with Accept: application/json and repeat the change with its new ETag, or, if a proxy changes entity tags, with its version in double quotes`;
  throw ifMatchProblem('PRECONDITION_FAILED', detail);
}

/** @throws Problem PRECONDITION_FAILED if `If-None-Match` of a change matches the current representation (RFC 9110 13.1.2). */
export function requireNoneMatch(header: string | undefined, current: string): void {
  if (!matchesWeakly(header, current)) return;
  const detail = `the current entity tag is ${current}`;
  throw new Problem('PRECONDITION_FAILED', `If-None-Match matches: ${detail}.`, {
    errors: [{ pointer: '#header/If-None-Match', detail }],
  });
}

/** Strong comparison (RFC 9110 8.8.3.2). */
export function matchesStrongly(tags: EntityTags, current: string): boolean {
  return tags === '*' || tags.some(({ isWeak, opaque }) => !isWeak && opaque === current);
}

/** Whether `If-Match` names the current state of the record. The digest is not compared, because it also depends on other records. */
export function matchesRecord(tags: EntityTags, record: Changed): boolean {
  if (matchesStrongly(tags, `"${record.version}"`)) return true;
  const start = `"${changeOf(record)}-`;
  return tags !== '*' && tags.some(({ isWeak, opaque }) => !isWeak && opaque.startsWith(start));
}

/** Weak comparison; a malformed header never matches. */
export function matchesWeakly(header: string | undefined, current: string): boolean {
  const tags = header === undefined ? null : parseEntityTags(header);
  return tags !== null && (tags === '*' || tags.some(({ opaque }) => opaque === current));
}

function parseEntityTags(text: string): EntityTags | null {
  if (text.trim() === '*') return '*';
  if (!TAGS.test(text)) return null;
  return Array.from(text.matchAll(TAG), ([, weak, opaque = '']) => ({ isWeak: weak !== undefined, opaque }));
}
