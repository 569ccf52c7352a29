import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiConsumes, ApiExtraModels, ApiResponse, getSchemaPath } from '../../openapi/annotations.js';
import { type FileColumns, columnRule } from '../csv/file-columns.js';
import { ApiPrefer, PREFERENCE_HEADER } from '../headers/prefer.js';
import { StreamEndDto, StreamSummaryDto } from '../body/stream-summary.dto.js';
import { CSV, NDJSON, ReadsStream } from '../body/streamed-body.js';

/** Marks and describes an operation that reads lines and returns a result for each. @param columns null for NDJSON only. */
export function LineOperation(
  line: new () => object,
  result: new () => object,
  columns: FileColumns | null,
  ...preferences: readonly ('return=minimal' | 'summary')[]
): MethodDecorator {
  const types = columns === null ? [NDJSON] : [NDJSON, CSV];
  const lines = { anyOf: [result, StreamSummaryDto, StreamEndDto].map((dto) => ({ $ref: getSchemaPath(dto) })) };
  const description =
    columns === null
      ? 'One JSON object on each line; the media type `application/jsonl` is also accepted.'
      : `One JSON object on each line; the media type \`application/jsonl\` is also accepted. Or send a CSV file, whose ${columnRule(columns)}`;
  return applyDecorators(
    ApiResponse({
      status: 200,
      description: 'One JSON object on each line.',
      headers: PREFERENCE_HEADER,
      content: { [NDJSON]: { schema: lines } },
    }),
    ApiBody({ schema: { $ref: getSchemaPath(line) }, description }),
    ApiExtraModels(line, result, StreamSummaryDto, StreamEndDto),
    ApiPrefer(...preferences),
    ApiConsumes(...types),
    ReadsStream(...types),
  );
}
