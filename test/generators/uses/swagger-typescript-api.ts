import { Api, ContentType } from './client';
import type { MintLine, ProblemDocument, TransferLine } from './client';
import { linesOf, readLines, report, streamLines } from './lines';

const api = new Api({ baseUrl: process.argv[2] ?? '' });
const metadataId = process.argv[3] ?? '';

const minted = await api.identifiers.mintIdentifier({ namingAuthority: '100.102', metadataId });
const listed = await api.identifiers.listIdentifiers({ metadataId });
const exported = await api.identifiers.exportIdentifiers({ metadataId });
const streamed = await api.identifiers.mintStream(
  linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
  {},
  // A text is sent as it stands with this type, and the header has the type of the document.
  { type: ContentType.Text, headers: { 'Content-Type': 'application/x-ndjson' } },
);
const results = [];
for await (const { line, status, identifier, problem } of streamLines<MintLine>(streamed.body)) {
  results.push({ line, status, identifier, code: problem?.code });
}
const refused = await api.identifiers
  .mintIdentifier({ namingAuthority: '9.9' })
  .then(() => undefined)
  .catch((response: { error: ProblemDocument }) => response.error.code);

report({
  minted: minted.data.identifier,
  listed: listed.data.items.map(({ identifier }) => identifier),
  exported: readLines<TransferLine>(await exported.text()).map(({ identifier }) => identifier),
  streamed: results,
  refused,
});
