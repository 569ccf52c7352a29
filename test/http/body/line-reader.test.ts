import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { LineReader } from '../../../src/http/body/line-reader.js';
import { StreamedBody } from '../../../src/http/body/streamed-body.js';

it('a body that stalls is to be sent again from its first line, where it has an Idempotency-Key', async () => {
  const bytes = new PassThrough();
  const never = new AbortController().signal;
  const drain = { stopping: never, halfOver: never };
  const body = new StreamedBody('application/x-ndjson', bytes as never, drain, {} as never);
  const lines = new LineReader(body, 100).next(1);
  bytes.emit('timeout');
  await expect(lines).rejects.toMatchObject({
    code: 'REQUEST_TIMEOUT',
    detail: expect.stringContaining('send the whole file again with the same Idempotency-Key'),
  });
});
