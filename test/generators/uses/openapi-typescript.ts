import createClient from 'openapi-fetch';
import type { components, paths } from './schema';
import { linesOf, readLines, report, streamLines } from './ndjson';

type Schemas = components['schemas'];

const api = createClient<paths>({ baseUrl: process.argv[2] ?? '' });
const metadataId = process.argv[3] ?? '';

const minted = await api.POST('/identifiers', { body: { namingAuthority: '100.102', metadataId } });
if (minted.data === undefined) throw new Error(minted.error.detail);
const read = await api.GET('/identifiers/{identifier}', { params: { path: { identifier: minted.data.identifier } } });
if ((read.data as Schemas['Identifier']).version !== 1) throw new Error('not read');
const listed = await api.GET('/identifiers', { params: { query: { metadataId } } });
const exported = await api.GET('/identifiers/export', { params: { query: { metadataId } }, parseAs: 'text' });
const streamed = await api.POST('/identifiers/bulk', {
  body: linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
  bodySerializer: (body) => body,
  headers: { 'Content-Type': 'application/x-ndjson' },
  parseAs: 'stream',
});
const results = [];
for await (const { line, status, identifier, problem } of streamLines<Schemas['MintLine']>(streamed.data ?? null)) {
  results.push({ line, status, identifier, code: problem?.code });
}
const rejected = await api.POST('/identifiers', { body: { namingAuthority: '9.9' } });

report({
  minted: minted.data.identifier,
  listed: listed.data?.items.map(({ identifier }) => identifier) ?? [],
  exported: readLines<Schemas['TransferLine']>(exported.data ?? '').map(({ identifier }) => identifier),
  streamed: results,
  rejected: rejected.error?.code,
});
