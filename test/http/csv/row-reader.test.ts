import 'reflect-metadata';
import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { IMPORT_COLUMNS } from '../../../src/api/import-export/transfer-columns.js';
import { StreamedBody } from '../../../src/http/body/streamed-body.js';
import { headerRules } from '../../../src/http/csv/file-columns.js';
import { RowReader } from '../../../src/http/csv/row-reader.js';
import { Problem } from '../../../src/problem/problem.js';

const IMPORT_HEADER = headerRules(IMPORT_COLUMNS, undefined);
const signals = () => ({ stopping: new AbortController(), halfOver: new AbortController() });

/** A body that arrives in these pieces. */
function bodyOf(
  pieces: readonly (string | Buffer)[],
  { stopping, halfOver } = signals(),
  charset: 'utf-8' | 'windows-1252' = 'utf-8',
): StreamedBody {
  const bytes = Object.assign(new PassThrough(), { complete: true, socket: { bytesRead: 0 } });
  for (const piece of pieces) bytes.write(piece);
  bytes.end();
  const drain = { stopping: stopping.signal, halfOver: halfOver.signal };
  return new StreamedBody('text/csv', bytes as never, drain, {} as never, charset);
}

async function read(
  pieces: readonly (string | Buffer)[],
  charset?: 'utf-8' | 'windows-1252',
): Promise<{ number: number; row: any }[]> {
  const rows = await RowReader.open(bodyOf(pieces, signals(), charset), IMPORT_HEADER);
  const all: { number: number; row: any }[] = [];
  for (let chunk = await rows.next(2); chunk !== null; chunk = await rows.next(2)) all.push(...chunk);
  return all;
}

const detailOf = (pieces: readonly (string | Buffer)[]) =>
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
    ['a line that names the separator', 'sep=;\r\nidentifier;target\r\n1/a;x,y\r\n', 'x,y', 3],
    ['a byte order mark before that line', '\ufeffsep=;\nidentifier;target\n1/a;x,y\n', 'x,y', 3],
    ['a quoted line that names the separator', '"sep=;"\nidentifier;target\n1/a;x\n', 'x', 3],
    ['line breaks of old spreadsheets', 'identifier,target\r1/a,x\r', 'x', 2],
    ['line breaks in a cell', 'identifier,target\r\n1/a,"x\r\ny\nz"\r\n', 'x\r\ny\nz', 4],
    ['marks in a cell', 'identifier,target\n1/a,"""x"",""y"""\n', '"x","y"', 2],
    ['a line break in the quoted name of a column', '\ufeff"target"\t"identifier\n"\nx\t1/a\n', 'x', 3],
    ['rows of empty cells', 'identifier,target\n,\n" ",\n\n1/a,x\n ,\t\n', 'x', 5],
    ['a byte order mark', '\ufeffidentifier;target\n1/a;x\n', 'x', 2],
    ['another case and order', 'TARGET;Identifier\nx;1/a\n', 'x', 2],
  ])('with %s are read, in whatever pieces they arrive', async (_, text, target, number) => {
    const rows = [{ number, row: { identifier: '1/a', target } }];
    expect(await read([text])).toEqual(rows);
    expect(await read([...text])).toEqual(rows);
  });

  it('are numbered by the line of the file, and one with other cells than columns is a problem', async () => {
    const rejection = { code: 'INVALID_REQUEST', detail: expect.stringContaining('more or fewer cells') };
    expect(await read(['identifier,target\n1/a\n\n1/b,x\n1/c,x,y\n1/d,x\n'])).toMatchObject([
      { number: 2, row: rejection },
      { number: 4, row: { identifier: '1/b', target: 'x' } },
      { number: 5, row: rejection },
      { number: 6, row: { identifier: '1/d', target: 'x' } },
    ]);
  });

  it('are divided as csv-parse divides them, with any text in quoted cells', async () => {
    const cell = fc.string({ unit: fc.constantFrom(...'",;\t\r\naä€𝄞'), minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(cell, cell), { maxLength: 5 }),
        fc.constantFrom(...',;\t'),
        async (cells, by) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
          const rows = [['identifier', 'target'], ...cells].map((row) => row.map(quoted).join(by));
          const text = rows.join('\r\n');
          const expected = cells.filter((row) => row.some((each) => each.trim() !== ''));
          expect(parse(text, { delimiter: by }).slice(1)).toEqual(cells);
          const found = (await read([...text])).map(({ row }) => [row.identifier, row.target]);
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  it('in Windows-1252 are read as such, and otherwise rejected where they are not UTF-8', async () => {
    const file = (text: string) => [Buffer.from(`identifier,target\n1/a,x\n1/b,`), Buffer.from(text, 'latin1')];
    const rejected = (await read(file('M\xfcller\n')))[1]!.row;
    expect([rejected.code, rejected.detail]).toEqual([
      'INVALID_REQUEST',
      'The file is not CSV: the file is not UTF-8; save it as CSV UTF-8, or send it with "content-type: text/csv; charset=windows-1252".',
    ]);
    const [, row] = await read(file('M\xfcller \x80\x85\x96\x9f\x81\xe9\n'), 'windows-1252');
    expect(row!.row.target).toBe('M\u00fcller \u20ac\u2026\u2013\u0178\u0081\u00e9');
    expect((await read([Buffer.from('identifier,target\n1/a,\u20ac\n')]))[0]!.row.target).toBe('\u20ac');
  });

  it('that are not UTF-8 count as one line with the line breaks of Windows', async () => {
    const rows = await read(['identifier,target\r\n1/a,', Buffer.from([0xfc]), '\r\n1/b,x\r\n']);
    expect(rows.map(({ number }) => number)).toEqual([2, 3]);
  });

  it('that are too long end the file, and are named by the line in which they begin', async () => {
    const head = 'identifier,target\n1/a,x\n';
    const expected = 'The row that begins in line 3 is longer than 262144 bytes';
    expect(await detailOf([head, ','.repeat(270_000)])).toContain(expected);
    expect(await detailOf([head, `1/b,"${'x'.repeat(270_000)}`])).toContain(expected);
    expect(await detailOf([head, `1/b,"x\n`, '1/c,y\n'.repeat(50_000)])).toContain(expected);
    expect(await detailOf([','.repeat(270_000)])).toContain('its first row is longer than 262144 bytes');
    expect(await detailOf([Array.from({ length: 101 }, () => 'identifier').join()])).toContain('more than 100 columns');
    expect(await read([head, `1/b,${'x'.repeat(262_140)}\n`])).toHaveLength(2);
  });

  it('with cells by the thousand are each rejected, and cost a cell more than there are columns', async () => {
    const rows = await read(['identifier,target\n', `${','.repeat(60_000)}x\n`.repeat(100)]);
    expect(rows).toHaveLength(100);
    expect(rows[0]!.row.detail).toContain('more or fewer cells');
  });

  it.each([
    ['x"y', 'a cell with a quotation mark must begin with one'],
    ['the "old" one', 'a cell with a quotation mark must begin with one'],
    ['"x" y', 'cell 2 has text after its closing quotation mark'],
  ])('with the cell %j are each a problem, and the rows after them are read', async (cell, fault) => {
    const detail = `The file is not CSV: in the row that begins in line 3, ${fault}`;
    expect(await read([`identifier,target\n1/a,x\n1/b,${cell}\n1/c,"y\nz"\n`])).toMatchObject([
      { number: 2, row: { identifier: '1/a', target: 'x' } },
      { number: 3, row: { code: 'INVALID_REQUEST', detail: expect.stringContaining(detail) } },
      { number: 5, row: { identifier: '1/c', target: 'y\nz' } },
    ]);
  });

  it('end with a quotation mark that is not closed, because the end of its row is unknown', async () => {
    const expected = 'in the row that begins in line 3, a quotation mark is not closed';
    expect(await detailOf(['identifier,target\n1/a,x\n1/b,"y\n1/c,z\n'])).toContain(expected);
  });

  it.each([
    ['a closed cell with marks after it', '1/b,"he said "hi" to us\n1/x,https://other\nand left"\n'],
    ['a marked cell before one that is not closed', '"u"y,"z\n1/c,u\n1/d,u\n'],
    ['a mark in a cell before one that is not closed', 'u 5" disk,"z\n1/c,u\n1/d,u\n'],
    ['a row of several lines', '1/b "x","y\nz"\n'],
  ])('end after a misplaced mark if the end of its row is unknown: %s', async (_, rows) => {
    expect(await detailOf([`identifier,target\n1/a,x\n${rows}`])).toContain('in the row that begins in line 3');
  });

  it('may have columns without a name, whose cells are empty', async () => {
    expect(await read([',identifier,,target,,\n,1/a,,x,, \n,1/b,,x,y,\n'])).toMatchObject([
      { number: 2, row: { identifier: '1/a', target: 'x' } },
      { number: 3, row: { detail: 'The file is not CSV: the row has a text in a column without a name.' } },
    ]);
  });

  it('without any row are none', async () => {
    expect(await read(['identifier'])).toEqual([]);
  });

  it.each([
    ['identifier,owner\n1/a,x\n', '"owner" is not a column'],
    ['identifier,Identifier\n', 'two columns are "identifier"'],
    ['target\nx\n', '"identifier" is missing'],
    ['', 'it is empty'],
    ['sep=|\nidentifier|target\n', '"sep=|" names another separator'],
    [Buffer.from('identifier,M\xfcller\n', 'latin1'), 'the file is not UTF-8'],
  ])('with the header %j are rejected: %s', async (text, expected) => {
    const detail = await detailOf([text]);
    expect(detail).toContain(expected);
    expect(detail).toContain('identifier, metadataId, target');
  });

  it('are not read when the service stops before the header line has arrived', async () => {
    const stop = signals();
    stop.halfOver.abort();
    const bytes = Object.assign(new PassThrough(), { complete: false, socket: { bytesRead: 0 } });
    const drain = { stopping: stop.stopping.signal, halfOver: stop.halfOver.signal };
    const opening = RowReader.open(new StreamedBody('text/csv', bytes as never, drain, {} as never), IMPORT_HEADER);
    await expect(opening).rejects.toMatchObject({ code: 'SHUTTING_DOWN' });
  });
});
