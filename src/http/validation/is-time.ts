import { Matches } from 'class-validator';
import { TIMESTAMP } from '../../registry/timestamp.js';

export const IsTime = (): PropertyDecorator =>
  Matches(TIMESTAMP, { message: '$property must be a time such as 2026-11-20T09:30:00Z' });
