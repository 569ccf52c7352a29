import { describe, expect, it } from '@jest/globals';
import { ChangeStreamService } from '../../src/curation/change-stream.service.js';

describe('a chunk of a change stream', () => {
  it('is repeated while a burst of mints uses the names that its lines request', async () => {
    let attempts = 0;
    const requests = {
      inStream: () => {
        attempts += 1;
        if (attempts <= 20) return Promise.reject(Object.assign(new Error('duplicate key'), { code: '23505' }));
        return Promise.resolve({ result: [], replayed: false });
      },
    };
    const dependencies = [null, null, null, requests, null, null];
    const service = new ChangeStreamService(
      ...(dependencies as unknown as ConstructorParameters<typeof ChangeStreamService>),
    );
    const chunk = { part: 0, lines: [], known: null as never };
    expect(await service.change(chunk, { principal: {} as never, idempotencyKey: null } as never)).toEqual([]);
    expect(attempts).toBe(21);
  });
});
