import { applyDecorators } from '@nestjs/common';
import { IsString, MaxLength } from 'class-validator';
import { ApiProperty, textHeader } from '../../openapi/annotations.js';
import { Read } from './fast-rules.js';
import { Optional } from './member-decorators.js';
import { MAX_CURSOR_LENGTH } from '../cursor.js';
import { IsWholeNumber } from './described-members.js';

export const DEFAULT_PAGE_LIMIT = 50;

const MAX_PAGE_LIMIT = 1000;

/** Parses digits; the rules of the field reject other texts. */
export const Digits = (): PropertyDecorator =>
  Read((value) => (typeof value === 'string' && /^[0-9]{1,4}$/.test(value) ? Number(value) : value));

export const IsPageLimit = (): PropertyDecorator =>
  applyDecorators(
    ...[IsWholeNumber(1, MAX_PAGE_LIMIT), Digits(), Optional()],
    ApiProperty({ default: DEFAULT_PAGE_LIMIT, required: false }),
  );

export const IsCursor = (): PropertyDecorator =>
  applyDecorators(
    IsString(),
    MaxLength(MAX_CURSOR_LENGTH),
    Optional(),
    ApiProperty({
      maxLength: MAX_CURSOR_LENGTH,
      required: false,
      example: 'q1uT2C0mGzD5yNfXr0aVQ8hJ3k7LwEoBiSxP6tUvRnMcHdAgYeZlK4sOjF9pWbTa',
    }),
  );

/** The requested page of a list. */
export class PageQueryDto {
  /** Maximum number of items in the response. */
  @IsPageLimit()
  limit: number = DEFAULT_PAGE_LIMIT;

  /** The cursor of the page: `next` of the previous page. */
  @IsCursor()
  cursor?: string;
}

/** The OpenAPI description of the header of a page that is not the last one. */
export const NEXT_PAGE_HEADER = {
  Link: textHeader('The next page, as rel="next" (RFC 8288). Absent on the last page.'),
};
