import { applyDecorators } from '@nestjs/common';
import { ArrayMaxSize, IsArray, IsString, MaxLength } from 'class-validator';
import { ApiProperty } from '../../openapi/annotations.js';
import { MAX_STORED_OCTETS } from '../../registry/canonical-name.js';
import { MAX_ALTERNATES } from '../../registry/identifier-record.js';
import { Optional } from './optional.js';

/** An optional list of alternate identifiers, in any form. */
export const IsAlternateIds = (): PropertyDecorator =>
  applyDecorators(
    IsArray(),
    ArrayMaxSize(MAX_ALTERNATES),
    IsString({ each: true }),
    MaxLength(MAX_STORED_OCTETS, { each: true }),
    Optional(),
    ApiProperty({ type: [String], maxItems: MAX_ALTERNATES, maxLength: MAX_STORED_OCTETS, required: false }),
  );
