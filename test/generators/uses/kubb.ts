import { exportIdentifiers, listIdentifiers, mintIdentifier, mintStream } from './client';
import type { MintLine, ProblemDocument, TransferLine } from './types';
import { linesOf, readLines, report } from './ndjson';

const metadataId = process.argv[3] ?? '';

const minted = await mintIdentifier({ namingAuthority: '100.102', metadataId });
const listed = await listIdentifiers({ metadataId });
const exported = await exportIdentifiers({ metadataId }, undefined, { responseType: 'text' });
const streamed = await mintStream(
  linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
  undefined,
  undefined,
  { responseType: 'text', headers: { 'Content-Type': 'application/x-ndjson' } },
);
const results = readLines<MintLine>(streamed.data).map(({ line, status, identifier, problem }) => ({
  line,
  status,
  identifier,
  code: problem?.code,
}));
const rejected = await mintIdentifier({ namingAuthority: '9.9' })
  .then(() => undefined)
  .catch((error: { cause: ProblemDocument }) => error.cause.code);

report({
  minted: minted.data.identifier,
  listed: listed.data.items.map(({ identifier }) => identifier),
  exported: readLines<TransferLine>(exported.data).map(({ identifier }) => identifier),
  streamed: results,
  rejected,
});
