import 'reflect-metadata';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { IMPORT_HEADER } from '../../../src/api/import-export/import-columns.js';
import { StreamedBody } from '../../../src/http/body/streamed-body.js';
import { RowReader } from '../../../src/http/csv/row-reader.js';
import { Problem } from '../../../src/problem/problem.js';

const signals = () => ({ stopping: new AbortController(), halfOver: new AbortController() });

/** A body that arrives in these pieces. */
function bodyOf(pieces: readonly string[], { stopping, halfOver } = signals()): StreamedBody {
  const octets = Object.assign(new PassThrough(), { complete: true, socket: { bytesRead: 0 } });
  for (const piece of pieces) octets.write(piece);
  octets.end();
  const drain = { stopping: stopping.signal, halfOver: halfOver.signal };
  return new StreamedBody('text/csv', octets as never, drain, {} as never);
}

async function read(pieces: readonly string[]): Promise<unknown[]> {
  const rows = await RowReader.open(bodyOf(pieces), IMPORT_HEADER);
  const all: unknown[] = [];
  for (let chunk = await rows.next(2); chunk !== null; chunk = await rows.next(2)) all.push(...chunk);
  return all;
}

const detailOf = (pieces: readonly string[]) =>
  read(pieces).then(
    () => 'accepted',
    (error: unknown) => (error instanceof Problem ? error.detail : Promise.reject(error as Error)),
  );

describe('the rows of a CSV', () => {
  it.each([
    ['commas', 'identifier,target\n1/a,x;y\n', 'x;y', 2],
    ['semicolons', 'identifier;target\n1/a;x,y\n', 'x,y', 2],
    ['tabs', 'identifier\ttarget\n1/a\tx,y\n', 'x,y', 2],
    ['quotation marks', '"identifier";"target"\r\n"1/a";"x;y"\r\n', 'x;y', 2],
    ['empty lines before the header', '\n\nidentifier;target\n1/a;x\n', 'x', 4],
    ['a byte order mark', '\ufeffidentifier;target\n1/a;x\n', 'x', 2],
    ['another case and order', 'TARGET;Identifier\nx;1/a\n', 'x', 2],
  ])('with %s are read, in whatever pieces they arrive', async (_, text, target, number) => {
    const rows = [{ number, row: { identifier: '1/a', target } }];
    expect(await read([text])).toEqual(rows);
    expect(await read([...text])).toEqual(rows);
  });

  it('are numbered by the line of the file, and one with other cells than columns is a problem', async () => {
    const refusal = { code: 'INVALID_REQUEST', detail: expect.stringContaining('more or fewer cells') };
    expect(await read(['identifier,target\n1/a\n\n1/b,x\n1/c,x,y\n1/d,x\n'])).toMatchObject([
      { number: 2, row: refusal },
      { number: 4, row: { identifier: '1/b', target: 'x' } },
      { number: 5, row: refusal },
      { number: 6, row: { identifier: '1/d', target: 'x' } },
    ]);
  });

  it('without any row are none', async () => {
    expect(await read(['identifier'])).toEqual([]);
  });

  it.each([
    ['identifier,owner\n1/a,x\n', '"owner" is not a column'],
    ['identifier,Identifier\n', '"identifier" is repeated'],
    ['target\nx\n', '"identifier" is missing'],
    ['', 'it is empty'],
  ])('with the header %j are refused: %s', async (text, expected) => {
    const detail = await detailOf([text]);
    expect(detail).toContain(expected);
    expect(detail).toContain('identifier, metadataId, target');
  });

  it('are not read when the service stops before the header line has arrived', async () => {
    const stop = signals();
    stop.halfOver.abort();
    const octets = Object.assign(new PassThrough(), { complete: false, socket: { bytesRead: 0 } });
    const drain = { stopping: stop.stopping.signal, halfOver: stop.halfOver.signal };
    const opening = RowReader.open(new StreamedBody('text/csv', octets as never, drain, {} as never), IMPORT_HEADER);
    await expect(opening).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
