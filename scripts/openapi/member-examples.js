const TIME = '2026-11-20T09:30:00.000Z';

/**
 * Examples of members by name. Most examples are of one identifier, so that its URIs agree with its prefix and GUID in every schema. A
 * member with another example has `@example` in its DTO.
 */
export const MEMBER_EXAMPLES = {
  identifier: '100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  namingAuthority: '100.102',
  guid: 'F58FB49EB1F848F0A606E84CEF294BE5',
  localName: 'F58FB49EB1F848F0A606E84CEF294BE5',
  metadataId: 'hdl:2000.01/A3D8BE7457C943FFB66ED4583059A8BA',
  metadataTarget: 'https://repo.example.org/objects/7/metadata',
  describes: ['100.102/A3D8BE7457C943FFB66ED4583059A8BA'],
  target: 'https://repo.example.org/objects/7',
  language: 'de',
  alternateIds: ['info:fedora/demo:7'],
  previousVersion: 'hdl:100.102/A3D8BE7457C943FFB66ED4583059A8BA',
  newerVersions: ['100.102/3D9C7A10B54E4C6F8A2B1E0D9F8C7B6A'],
  version: 1,
  createdAt: TIME,
  updatedAt: TIME,
  withdrawnAt: TIME,
  at: TIME,
  reason: 'The object was deposited twice.',
  replacedBy: 'hdl:100.102/A3D8BE7457C943FFB66ED4583059A8BA',
  cordraPath: 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  cordraHost: 'hdl://100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  resolver: 'http://hdl.handle.net/100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  handleUri: 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  infoHdl: 'info:hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5',
  candidates: ['100.102/F58FB49EB1F848F0A606E84CEF294BE5', '2000.01/F58FB49EB1F848F0A606E84CEF294BE5'],
  input: 'hdl:100.102/f58fb49eb1f848f0a606e84cef294be5',
  offset: 8,
  rule: 'CID-10',
  clientRef: 'row 7',
  client: 'university-repository',
  label: 'ingest server, 2026',
  sandbox: false,
  caseInsensitive: false,
  storesHandleValues: false,
  mintMetadataId: false,
  reinstate: false,
  activate: false,
  openAccess: false,
};

/** Schemas whose members have no examples, because only some of the members are present together. */
const WITHOUT_EXAMPLES = new Set(['IdentifierParts', 'ImportResult', 'Context']);

/** Adds the examples of members that have none, except those that are read-only or have an enumeration or a schema of their own. */
export function addMemberExamples({ components: { schemas } }) {
  for (const [name, { properties = {} }] of Object.entries(schemas)) {
    if (WITHOUT_EXAMPLES.has(name)) continue;
    for (const [member, schema] of Object.entries(properties)) {
      const isPlain = 'type' in schema && !('example' in schema || 'enum' in schema || 'readOnly' in schema);
      if (isPlain && member in MEMBER_EXAMPLES) properties[member] = withExample(schema, MEMBER_EXAMPLES[member]);
    }
  }
}

/** Inserts the example after the description, where the compiler plugin puts examples. */
function withExample(schema, example) {
  const entries = Object.entries(schema);
  const at = entries.findIndex(([keyword]) => keyword === 'description') + 1;
  return Object.fromEntries([...entries.slice(0, at), ['example', example], ...entries.slice(at)]);
}
