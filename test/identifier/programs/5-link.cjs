// Builds a link from a naming authority and a GUID.
const assert = require('node:assert/strict');
const { formatLocalName, toCordraId, toResolver, urisOf } = require('@mintmark/identifier');

const guid = 'f58fb49eb1f848f0a606e84cef294be5';
const resolver = toResolver({ scheme: 'HTTPS', authority: 'Repo.Example.org:443' });
const link = (parts) => urisOf(toCordraId(parts), { resolver }).resolver;
const plain = 'https://repo.example.org/100.102/F58FB49EB1F848F0A606E84CEF294BE5';
assert.equal(link({ namingAuthority: '100.102', guid }), plain);
assert.equal(link({ namingAuthority: '100.102', guid, query: null, fragment: undefined }), plain);
assert.equal(link({ namingAuthority: '100.102', guid, query: '', fragment: 'p1' }), `${plain}?#p1`);

const id = toCordraId({ namingAuthority: '0100.1', guid, query: 'v=2' });
assert.equal(id.namingAuthority, '0100.1'); // zeros are kept.
assert.equal(formatLocalName(id), 'F58FB49EB1F848F0A606E84CEF294BE5?v=2');

// The offset counts in the text `100.102/F58F`.
assert.throws(() => link({ namingAuthority: '100.102', guid: 'F58F' }), { code: 'INVALID_GUID', offset: 12 });
assert.throws(() => link({ namingAuthority: '100.102', guid: `${guid}?v=2` }), { code: 'INVALID_GUID' });
assert.throws(() => link({ namingAuthority: '100.102', guid: 7 }), TypeError);
