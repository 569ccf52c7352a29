// Reads and renders the URIs of a resolver of one's own.
import assert from 'node:assert/strict';
import { type Resolver, normalize, parseHttpUri, recognize, toHttpUri, toResolver, urisOf } from '@mintmark/identifier';

const resolver: Resolver = toResolver({ scheme: 'https', authority: 'repo.example.org', firstSegment: 'hdl' });

const text = 'HTTPS://Repo.Example.org:443/hdl/100.102/f58fb49eb1f848f0a606e84cef294be5?v=2';
const canonical = 'https://repo.example.org/hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5?v=2';
const { name } = toHttpUri(text, { resolver });
if (name.type !== 'cordra') throw new Error(name.localName);
assert.deepEqual([name.guid, name.query], ['F58FB49EB1F848F0A606E84CEF294BE5', 'v=2']);
assert.equal(urisOf(name, { resolver }).resolver, canonical);

const code = (uri: string): string | null => {
  const read = parseHttpUri(uri, { resolver });
  return read.ok ? null : read.fault.code;
};
assert.equal(code('https://repo.example.org/hdl/10.1000/a'), null);
assert.equal(code('https://www.example.org/hdl/10.1000/a'), 'AUTHORITY_MISMATCH');
assert.equal(code('https://repo.example.org/doi/10.1000/a'), 'FIRST_SEGMENT_MISMATCH');
assert.equal(code('https://repo.example.org/hdl/10.1000/a/b'), 'SEGMENT_COUNT'); // a raw "/" separates.
assert.equal(code('http://repo.example.org/hdl/10.1000/a'), 'WRONG_SCHEME');

// In a text of any form, and the repairs in their order.
assert.equal(recognize(text).ok, false); // The URL of an unknown host.
const read = recognize(text, { resolver });
assert.equal(read.ok && read.value.normalized, canonical);
const found = normalize(text, undefined, { resolver: { ...resolver } });
const repairs = found.valid ? found.repairs.join(' ') : found.fault.detail;
assert.equal(repairs, 'SCHEME_LOWERCASED HOST_LOWERCASED DEFAULT_PORT_DROPPED GUID_UPPERCASED');
