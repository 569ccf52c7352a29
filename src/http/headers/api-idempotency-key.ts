import { ApiHeader } from '../../openapi/annotations.js';

export const ApiIdempotencyKey = (): MethodDecorator =>
  ApiHeader({
    name: 'Idempotency-Key',
    required: false,
    description: 'Makes a retry safe: a repeat of the request with the same key returns the first result.',
    schema: { type: 'string', minLength: 1, maxLength: 257 },
    example: '3f0c2a52-95a5-4f2c-8f0a-0d5b7b1f7a10',
  });

export const REPLAYED_HEADER = {
  'Idempotency-Replayed': {
    description: '"true" when the response is the replay of an earlier request with the same key.',
    schema: { type: 'string' as const, enum: ['true'] },
  },
};
