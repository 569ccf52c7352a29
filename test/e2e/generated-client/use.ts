// Used by generated-client.e2e.ts beside the client that the generator writes; every name here is the generator's.
import { Api } from './client.js';

const api = new Api({ baseUrl: process.argv[2] });
const metadataId = 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA';

const minted = await api.identifiers.mintIdentifier({ namingAuthority: '100.102', metadataId });
const found = await api.identifiers.listIdentifiers({ metadataId });
const uris = await api.identifiers.getIdentifierUris(minted.data.identifier);
const refused = await api.identifiers.mintIdentifier({ namingAuthority: '9.9' }).catch((answer) => answer.error.code);

console.log(
  JSON.stringify({
    minted: minted.data.identifier,
    found: found.data.items.map(({ identifier }) => identifier),
    uris: uris.data,
    refused,
  }),
);
