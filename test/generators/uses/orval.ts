import { exportIdentifiers, listIdentifiers, mintIdentifier, mintStream } from './client';
import type { MintLine, TransferLine } from './client';
import { linesOf, readLines, report, streamLines } from './ndjson';

const metadataId = process.argv[3] ?? '';

const minted = await mintIdentifier({ namingAuthority: '100.102', metadataId });
if (minted.status !== 200 && minted.status !== 201) throw new Error(minted.data.detail);
const listed = await listIdentifiers({ metadataId });
const exported = (await exportIdentifiers({ metadataId })) as unknown as { stream: Response };
const streamed = (await mintStream(
  linesOf([{ namingAuthority: '100.102', clientRef: 'row 1' }, { namingAuthority: '9.9' }]),
)) as unknown as { stream: Response };
const results = [];
for await (const { line, status, identifier, problem } of streamLines<MintLine>(streamed.stream.body)) {
  results.push({ line, status, identifier, code: problem?.code });
}
const rejected = await mintIdentifier({ namingAuthority: '9.9' });

report({
  minted: minted.data.identifier,
  listed: listed.status === 200 ? listed.data.items.map(({ identifier }) => identifier) : [],
  exported: readLines<TransferLine>(await exported.stream.text()).map(({ identifier }) => identifier),
  streamed: results,
  rejected: rejected.status === 422 ? rejected.data.code : undefined,
});
