import { ApiProperty } from '../../openapi/annotations.js';
import { CATALOGUE } from '../../problem/catalogue.js';
import { ProblemDocumentDto, problemDocument } from '../../problem/problem-document.dto.js';
import type { Problem } from '../../problem/problem.js';

/** The members of a result that a summary counts. */
export interface CountedResult {
  readonly status: number;
  readonly outcome?: string | undefined;
}

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

/** The number of results of a stream, in total and by kind. */
export class ResultCountsDto {
  /** The number of results; blank lines and the header line of a CSV have none. */
  @ApiProperty({ type: 'integer', format: 'int64', example: 1003 })
  results = 0;

  /** The number of results with each `status`. */
  @ApiProperty({ ...COUNTS, example: { 200: 1000, 404: 3 } })
  statuses: Record<string, number> = {};

  /** The number of results with each `outcome`, of changes and imports; empty for mints, whose results have no `outcome`. */
  @ApiProperty({ ...COUNTS, example: { changed: 990, unchanged: 10 } })
  outcomes: Record<string, number> = {};
}

/** The last line of a response to a stream that was read to its end, with `Prefer: summary`. */
export class StreamSummaryDto {
  /** The counts of all results. */
  summary: ResultCountsDto = new ResultCountsDto();

  count(results: readonly CountedResult[]): void {
    const { statuses, outcomes } = this.summary;
    this.summary.results += results.length;
    for (const { status, outcome } of results) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (outcome !== undefined) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  }
}

/** The last line of a stream that cannot continue; the lines before it are complete. */
export class StreamEndDto {
  /**
   * The number of the line after the last line with a result, or 1 if there is none. It counts the lines of the request, or, for an export,
   * the lines of the response. The fault can be in a later line, because lines are processed in groups, and the header line of a CSV file
   * has no result.
   */
  @ApiProperty({ type: 'integer', format: 'int64', example: 501 })
  line: number;

  /** The status of `problem`. */
  @ApiProperty({ type: 'integer', example: 401 })
  status: number;

  /** Why the stream ends. */
  problem: ProblemDocumentDto;

  /** Always true: no other line follows. No other line has this member. */
  @ApiProperty({ enum: [true] })
  final: true;
}

/** The last line of a stream that cannot continue. @param line as in `StreamEndDto`. @param path the path of the request. */
export function streamEnd(problem: Problem, line: number, path: string): StreamEndDto {
  return { line, status: CATALOGUE[problem.code].status, problem: problemDocument(problem, path), final: true };
}
