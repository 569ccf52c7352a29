import { Matches } from 'class-validator';
import { DATE, TIMESTAMP } from '../../registry/timestamp.js';

export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time such as 2026-11-20T09:30:00Z' });

/** A time or a date of a query; `readTime` reads a date as its begin in UTC. */
export const IsTimeOrDate = (): PropertyDecorator =>
  Matches(new RegExp(`${TIMESTAMP.source}|${DATE.source}`), {
    message:
      '$property must be a time such as 2026-11-20T09:30:00Z, or a date such as 2026-11-20, which is its begin in UTC',
  });
