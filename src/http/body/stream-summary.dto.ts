import { ApiProperty } from '../../openapi/annotations.js';

/** What a summary counts of a line of a response. */
export interface CountedResult {
  readonly status: number;
  readonly outcome?: string | undefined;
}

const COUNTS = { type: 'object', additionalProperties: { type: 'integer' } } as const;

/** How many lines of a response there are of each kind. */
export class LineCountsDto {
  /** The number of results. */
  @ApiProperty({ type: 'integer', example: 1003 })
  lines = 0;

  /** The number of results with each status. */
  @ApiProperty({ ...COUNTS, example: { 200: 1000, 404: 3 } })
  statuses: Record<string, number> = {};

  /** The number of results with each outcome; empty where results have none. */
  @ApiProperty({ ...COUNTS, example: { changed: 990, same: 10 } })
  outcomes: Record<string, number> = {};
}

/** The last line of a response to a stream that was read to its end, with `Prefer: summary`. */
export class StreamSummaryDto {
  /** The counts of all results. */
  summary = new LineCountsDto();

  /** Counts results. */
  count(results: readonly CountedResult[]): void {
    const { statuses, outcomes } = this.summary;
    this.summary.lines += results.length;
    for (const { status, outcome } of results) {
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (outcome !== undefined) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  }
}
