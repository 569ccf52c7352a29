import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type CursorKind, Cursors, invalidCursor } from '../http/cursor.js';
import { type LogOrder, type LogPosition, LOG_START } from '../storage/changes/log-page.js';

const MAX_REMEMBERED = 4096;

const KINDS: Readonly<Record<LogOrder, CursorKind>> = { at: 'events', '-at': 'events, newest first' };

@Injectable()
export class EventCursors {
  private readonly ids = new Map<string, string>();

  constructor(private readonly cursors: Cursors) {}

  /** The ID of an event. It is equal on every instance. IDs are cached, because many readers request the same position. */
  idOf({ position, id }: LogPosition): string {
    const cacheKey = `${position} ${id}`;
    const known = this.ids.get(cacheKey);
    if (known !== undefined) return known;
    const written = this.cursors.write('events', [position, id]);
    if (this.ids.size >= MAX_REMEMBERED) this.ids.clear();
    this.ids.set(cacheKey, written);
    return written;
  }

  /** The cursor after a page. It is unlinkable for a restricted reader, because the position would reveal hidden events. */
  reached({ position, id }: LogPosition, order: LogOrder, isUnlinkable: boolean): string {
    return this.cursors.write(KINDS[order], [position, id], isUnlinkable);
  }

  /** Decodes a position of the log; without a cursor, returns the start of the log. @throws Problem INVALID_CURSOR */
  parsePosition(cursor: string | undefined, order: LogOrder, pointer: string): LogPosition {
    if (cursor === undefined) return LOG_START;
    const [position = 0n, id = 0n] = this.cursors.read(KINDS[order], 2, cursor, pointer).numbers;
    return { position, id };
  }

  /** The cursor after a version in the history at a path. */
  afterVersion(version: number, path: string): string {
    return this.cursors.write('history', [BigInt(version), hash('sha256', path, 'base64url')]);
  }

  /** @throws Problem INVALID_CURSOR for a cursor of the history at another path. */
  requireOf(path: string, cursor: string | undefined): void {
    if (cursor === undefined) return;
    if (this.cursors.read('history', 1, cursor).text !== hash('sha256', path, 'base64url')) throw invalidCursor();
  }

  /** Decodes the version after which a page starts; 0 without a cursor. @throws Problem INVALID_CURSOR */
  readVersion(cursor: string | undefined): number {
    if (cursor === undefined) return 0;
    return Number(this.cursors.read('history', 1, cursor).numbers[0] ?? 0n);
  }
}
