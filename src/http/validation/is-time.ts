import { Matches } from 'class-validator';
import { TIMESTAMP, TIMESTAMP_OR_DATE } from '../../registry/timestamp.js';

export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time such as 2026-11-20T09:30:00Z' });

/** A time or a date of a query; `readTime` reads a date as its begin in UTC. */
export const IsTimeOrDate = (): PropertyDecorator =>
  Matches(TIMESTAMP_OR_DATE, {
    message:
      '$property must be a time such as 2026-11-20T09:30:00Z, or a date such as 2026-11-20, which is its begin in UTC',
  });
