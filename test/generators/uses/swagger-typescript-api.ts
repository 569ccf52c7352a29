import { Api, ContentType } from './client';
import type { MintLine, ProblemDocument, TransferLine } from './client';
import { linesOf, readLines, report, streamLines } from './ndjson';

// The client knows no media type of lines: a text is sent as it stands as `text/plain`, whose name is corrected here.
const customFetch: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers);
  if (headers.get('content-type') === 'text/plain') headers.set('content-type', 'application/x-ndjson');
  return fetch(input, { ...init, headers });
};
const api = new Api({ baseUrl: process.argv[2] ?? '', customFetch });
const metadataId = process.argv[3] ?? '';

const minted = await api.identifiers.mintIdentifier({ namingAuthority: '100.102', metadataId });
const listed = await api.identifiers.listIdentifiers({ metadataId });
const exported = await api.identifiers.exportIdentifiers({ metadataId });
const streamed = await api.identifiers.mintStream(
  linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
  {},
  { type: ContentType.Text },
);
const results = [];
for await (const { line, status, identifier, problem } of streamLines<MintLine>(streamed.body)) {
  results.push({ line, status, identifier, code: problem?.code });
}
const rejected = await api.identifiers
  .mintIdentifier({ namingAuthority: '9.9' })
  .then(() => undefined)
  .catch((response: { error: ProblemDocument }) => response.error.code);

report({
  minted: minted.data.identifier,
  listed: listed.data.items.map(({ identifier }) => identifier),
  exported: readLines<TransferLine>(await exported.text()).map(({ identifier }) => identifier),
  streamed: results,
  rejected,
});
