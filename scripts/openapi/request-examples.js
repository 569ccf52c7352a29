const JSON_TYPE = 'application/json';
const MERGE_PATCH = 'application/merge-patch+json';
const NDJSON = 'application/x-ndjson';
const CSV = 'text/csv';

const CHANGED = { target: 'https://repo.example.org/objects/8' };
const GUIDS = ['F58FB49EB1F848F0A606E84CEF294BE5', 'A3D8BE7457C943FFB66ED4583059A8BA'];

/** The reserved identifier in the path of `activateIdentifier`. */
const RESERVED_GUID = '3D9C7A10B54E4C6F8A2B1E0D9F8C7B6A';

const IMPORTED = { version: 1, createdAt: '2026-11-20T09:30:00.000Z', updatedAt: '2026-11-20T09:30:00.000Z' };

/** Examples of request bodies, by operation and media type. Each can be sent unchanged to a service with the naming authority 100.102. */
export const REQUEST_EXAMPLES = {
  mintIdentifier: {
    [JSON_TYPE]: {
      namingAuthority: '100.102',
      metadataId: 'info:fedora/demo:7',
      target: 'https://repo.example.org/objects/7',
    },
  },
  mintBatch: {
    [JSON_TYPE]: {
      namingAuthority: '100.102',
      items: [
        { clientRef: 'row 7', target: 'https://repo.example.org/objects/7' },
        { clientRef: 'row 8', target: 'https://repo.example.org/objects/8' },
      ],
    },
  },
  mintStream: {
    [NDJSON]: lines(
      { clientRef: 'row 7', namingAuthority: '100.102', target: 'https://repo.example.org/objects/7' },
      { clientRef: 'row 8', namingAuthority: '100.102', target: 'https://repo.example.org/objects/8' },
    ),
  },
  lookUpIdentifiers: { [JSON_TYPE]: { items: [`hdl:100.102/${GUIDS[0] ?? ''}`, 'info:fedora/demo:7'] } },
  changeIdentifiers: {
    [NDJSON]: lines({ identifier: `100.102/${GUIDS[0] ?? ''}`, target: 'https://repo.example.org/objects/8' }),
    [CSV]: `identifier,target\r\n100.102/${GUIDS[0] ?? ''},https://repo.example.org/objects/8\r\n`,
  },
  updateIdentifier: { [JSON_TYPE]: CHANGED, [MERGE_PATCH]: CHANGED },
  activateIdentifier: { [JSON_TYPE]: CHANGED },
  withdrawIdentifier: { [JSON_TYPE]: { reason: 'The object was deposited twice.' } },
  // The identifiers in the example paths: an active identifier, and a reserved one that can be activated.
  importIdentifiers: {
    [NDJSON]: lines(
      {
        identifier: `100.102/${GUIDS[0] ?? ''}`,
        state: 'active',
        ...IMPORTED,
        target: 'https://repo.example.org/objects/7',
      },
      { identifier: `100.102/${RESERVED_GUID}`, state: 'reserved', ...IMPORTED, leaseUntil: '2126-11-20T09:30:00Z' },
    ),
    [CSV]: `identifier,target\r\n100.102/${GUIDS[1] ?? ''},https://repo.example.org/objects/7\r\n`,
  },
  createReservation: { [JSON_TYPE]: { namingAuthority: '100.102', count: 2, leaseUntil: '2126-11-20T09:30:00Z' } },
  activateReservation: { [JSON_TYPE]: {} },
  releaseReservation: { [JSON_TYPE]: {} },
  createNamingAuthority: {
    [JSON_TYPE]: { namingAuthority: '100.102.1', targetTemplate: 'https://repo.example.org/objects/{guid}' },
  },
  updateNamingAuthority: { [JSON_TYPE]: { targetTemplate: 'https://repo.example.org/objects/{guid}' } },
  normalizeIdentifiers: { [JSON_TYPE]: { items: [{ input: `hdl:100.102/${(GUIDS[0] ?? '').toLowerCase()}` }] } },
  createApiKey: {
    [JSON_TYPE]: {
      client: 'university-repository',
      scopes: ['read', 'mint'],
      namingAuthorities: [{ namingAuthority: '100.102' }],
    },
  },
};

function lines(...values) {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
