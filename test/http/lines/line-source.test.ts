import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { StreamedBody } from '../../../src/http/body/streamed-body.js';
import { openLines } from '../../../src/http/lines/line-source.js';

it('a row of CSV has the bytes of its cells in UTF-8', async () => {
  const bytes = Object.assign(new PassThrough(), { complete: true });
  bytes.end('a,b\nx,\u20ac\u00e9\n');
  const never = new AbortController().signal;
  const body = new StreamedBody('text/csv', bytes as never, { stopping: never, halfOver: never }, {} as never);
  const columns = { names: ['a', 'b'], required: ['a'], row: 'a test' };
  const next = await openLines(body, 10, { columns, map: undefined, readRow: (row) => row });
  expect((await next())!.map((line) => line.bytes)).toEqual([6]);
});
