import { setImmediate as nextTurn } from 'node:timers/promises';
import { Problem } from '../problem/problem.js';
import type { StreamedBody } from './streamed-body.js';

/** Longest line that is read, in octets. */
export const MAX_LINE_OCTETS = 65_536;

/** Most octets of lines that are handed over at once, so that memory stays the same whatever the lines are. */
const MAX_CHUNK_OCTETS = 1_048_576;

const NEWLINE = 0x0a;

/** A line of a body. */
export interface Line {
  /** Counted from 1; empty lines count too. */
  readonly number: number;
  /** Without the line feed; null when there are more than `MAX_LINE_OCTETS`. */
  readonly octets: Buffer | null;
}

/** Reads the lines of a body while it arrives, and no faster than they are asked for. */
export class LineReader {
  private rest: Buffer = Buffer.alloc(0);
  private number = 0;
  private overlong = false;
  private over = false;

  constructor(private readonly body: StreamedBody) {
    // Whoever asks next is told; without a listener it would end the process.
    body.octets.on('error', () => {});
  }

  /**
   * @returns the lines that are there, at least one and at most `most`, without empty ones; null when no more will come.
   * The last one needs no line feed.
   * @throws Problem SHUTTING_DOWN when the service stops, REQUEST_TIMEOUT when the client is silent, and any other error
   * when the connection broke: what came of an unfinished line is not one.
   */
  async next(most: number): Promise<Line[] | null> {
    if (this.body.stopping.aborted) throw shuttingDown();
    const lines: Line[] = [];
    let octets = 0;
    let waited = false;
    const take = (line: Line): void => {
      octets += line.octets?.length ?? 0;
      if (line.octets === null || !isBlank(line.octets)) lines.push(line);
    };
    for (;;) {
      while (lines.length < most && octets < MAX_CHUNK_OCTETS) {
        const line = this.cut();
        if (line === null) break;
        take(line);
      }
      if (lines.length === most || octets >= MAX_CHUNK_OCTETS) return lines;
      if (this.over) return lines.length > 0 ? lines : null;
      const arrived = this.body.octets.read() as Buffer | null;
      if (arrived !== null) {
        this.add(arrived);
        waited = false;
      } else if (this.body.octets.readableEnded) {
        this.over = true;
        const line = this.finish();
        if (line !== null) take(line);
      } else if (lines.length === 0) await this.more();
      else if (waited) return lines;
      else {
        // The socket hands over at most 64 KiB in one turn, and a chunk is worth more when it is full.
        waited = true;
        await nextTurn();
      }
    }
  }

  private add(octets: Buffer): void {
    if (this.overlong) {
      const end = octets.indexOf(NEWLINE);
      if (end < 0) return;
      this.rest = octets.subarray(end);
    } else this.rest = this.rest.length === 0 ? octets : Buffer.concat([this.rest, octets]);
  }

  private cut(): Line | null {
    const end = this.rest.indexOf(NEWLINE);
    if (end < 0) {
      if (this.rest.length > MAX_LINE_OCTETS) {
        this.overlong = true;
        this.rest = Buffer.alloc(0);
      }
      return null;
    }
    const line = this.rest.subarray(0, end);
    this.rest = this.rest.subarray(end + 1);
    return this.lineOf(line);
  }

  private finish(): Line | null {
    if (this.rest.length === 0 && !this.overlong) return null;
    const line = this.rest;
    this.rest = Buffer.alloc(0);
    return this.lineOf(line);
  }

  private lineOf(octets: Buffer): Line {
    this.number += 1;
    const overlong = this.overlong || octets.length > MAX_LINE_OCTETS;
    this.overlong = false;
    return { number: this.number, octets: overlong ? null : octets };
  }

  private async more(): Promise<void> {
    const { octets, stopping } = this.body;
    if (octets.errored) throw octets.errored;
    if (octets.destroyed) throw new Error('the client hung up');
    await new Promise<void>((resolve, reject) => {
      const settle = (work: () => void) => () => {
        for (const [event, listener] of listeners) octets.off(event, listener);
        stopping.removeEventListener('abort', onStop);
        work();
      };
      const broken = settle(() => {
        reject(octets.errored ?? new Error('the client hung up'));
      });
      const arrived = settle(resolve);
      const silent = settle(() => {
        const detail =
          'Nothing arrived for too long. What was answered is kept; send the rest again, with the same key.';
        reject(new Problem('REQUEST_TIMEOUT', detail));
      });
      const onStop = settle(() => {
        reject(shuttingDown());
      });
      const listeners = [
        ['readable', arrived],
        ['end', arrived],
        ['error', broken],
        ['close', broken],
        ['timeout', silent],
      ] as const;
      for (const [event, listener] of listeners) octets.on(event, listener);
      stopping.addEventListener('abort', onStop);
    });
  }
}

/** The refusal of what comes after the service began to stop. */
export function shuttingDown(): Problem {
  const detail = 'This instance stops. What was answered is kept; send everything again, with the same key, to go on.';
  return new Problem('SHUTTING_DOWN', detail);
}

function isBlank(octets: Buffer): boolean {
  return octets.every((octet) => octet === 0x20 || octet === 0x09 || octet === 0x0d);
}
