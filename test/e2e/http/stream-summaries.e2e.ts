import { describe, expect, it } from '@jest/globals';
import { linesIn } from '../harness/changes.js';
import { freshGuid } from '../harness/fresh-names.js';
import { useSharedService } from '../harness/service.js';

const service = useSharedService();
const send = async (path: string, lines: readonly object[], prefer: string) => {
  const answer = await fetch(`${service.server.url}/identifiers/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', prefer },
    body: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
  });
  return { applied: answer.headers.get('preference-applied'), lines: linesIn(await answer.text()) };
};
const bulk = `bulk?namingAuthority=${service.na}`;

describe('with Prefer: summary', () => {
  it('the last line of the response to a bulk counts its results', async () => {
    const guid = freshGuid();
    const { applied, lines } = await send(bulk, [{ guid }, { guid }, {}, { guid: 'x' }], 'return=minimal, summary');
    expect(applied).toBe('return=minimal, summary');
    expect(lines).toHaveLength(5);
    expect(lines.at(-1)).toEqual({ summary: { results: 4, statuses: { 201: 2, 400: 1, 409: 1 }, outcomes: {} } });
  });

  it('that of changes and of a dry run also counts their outcomes', async () => {
    const { identifier, version } = (await service.client.mint({ target: 'https://repo.example.org/1' })).body;
    const lines = [{ identifier }, { identifier, target: null }, { identifier: `${service.na}/${freshGuid()}` }];
    const previewed = await send('changes?dryRun=true', lines, 'summary');
    expect(previewed.applied).toBe('summary');
    expect(previewed.lines.at(-1)).toEqual({
      summary: { results: 3, statuses: { 200: 2, 404: 1 }, outcomes: { changed: 1, unchanged: 1 } },
    });
    const { lines: changed } = await send('changes', [{ identifier, ifVersion: version }, ...lines], 'summary');
    expect(changed.at(-1)).toEqual({
      summary: { results: 4, statuses: { 200: 3, 404: 1 }, outcomes: { changed: 1, unchanged: 2 } },
    });
  });

  it('that of an import too, and one of an empty body has no results', async () => {
    const line = { identifier: `${service.na}/${freshGuid()}` };
    const { lines } = await send('import', [line, line], 'summary');
    expect(lines.at(-1)).toEqual({
      summary: { results: 2, statuses: { 200: 1, 201: 1 }, outcomes: { imported: 1, unchanged: 1 } },
    });
    expect((await send('import', [], 'summary')).lines).toEqual([
      { summary: { results: 0, statuses: {}, outcomes: {} } },
    ]);
  });

  it('is not the last line of a stream that cannot continue', async () => {
    const answer = await fetch(`${service.server.url}/identifiers/import`, {
      ...{ method: 'POST', headers: { 'content-type': 'text/csv', prefer: 'summary' } },
      body: `identifier\n${service.na}/${freshGuid()}\n"x`,
    });
    const lines = linesIn(await answer.text());
    expect(lines.map(({ status }) => status)).toEqual([201, 400]);
    expect(lines.at(-1).problem.code).toBe('INVALID_REQUEST');
  });

  it('is the preference of a client: without it no line is added', async () => {
    const { applied, lines } = await send(bulk, [{}], 'return=minimal');
    expect([applied, lines.length]).toEqual(['return=minimal', 1]);
  });
});
