import { exportIdentifiers, listIdentifiers, mintIdentifier, mintStream } from './client';
import { client } from './client/client.gen';
import type { MintLine, TransferLine } from './client';
import { linesOf, readLines, report, streamLines } from './ndjson';

client.setConfig({ baseUrl: process.argv[2] ?? '' });
const metadataId = process.argv[3] ?? '';

const minted = await mintIdentifier({ body: { namingAuthority: '100.102', metadataId }, throwOnError: true });
const listed = await listIdentifiers({ query: { metadataId }, throwOnError: true });
const exported = await exportIdentifiers({ query: { metadataId }, parseAs: 'text', throwOnError: true });
const streamed = await mintStream({
  body: linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
  bodySerializer: null,
  parseAs: 'stream',
  throwOnError: true,
});
const results = [];
for await (const { line, status, identifier, problem } of streamLines<MintLine>(streamed.response.body)) {
  results.push({ line, status, identifier, code: problem?.code });
}
const rejected = await mintIdentifier({ body: { namingAuthority: '9.9' } });

report({
  minted: minted.data.identifier,
  listed: listed.data.items.map(({ identifier }) => identifier),
  exported: readLines<TransferLine>(exported.data).map(({ identifier }) => identifier),
  streamed: results,
  rejected: rejected.error?.code,
});
