// Validates texts, each as a text of one form.
import assert from 'node:assert/strict';
import { isCordraId, isFedoraDissemination, isFedoraPid, isHandle, isHdlUri, isInfoHdl } from '@mintmark/identifier';
import { isHttpUri, isUuid, toResolver } from '@mintmark/identifier';

const GUID = 'F58FB49EB1F848F0A606E84CEF294BE5';
const cases = [
  [isCordraId, `100.102/${GUID.toLowerCase()}?v=2#p1`, true],
  [isCordraId, `100.102/${GUID.slice(1)}`, false], // CID-10: 32 digits.
  [isCordraId, `10.ABC/${GUID}`, false], // CID-05: digits only.
  [isCordraId, `hdl:100.102/${GUID}`, false], // The native form has no scheme.
  [isHandle, '10.1000/', true], // the local name may be empty.
  [isHandle, '10..1000/a', false], // HUS-08: a segment is not empty.
  [isHandle, '10.1000/\u{1F600}', false], // beyond UCS-2.
  [isHandle, 42, false],
  [isHdlUri, 'hdl:10.1000/a%2Fb', true],
  [isHdlUri, 'hdl:10.1000/a/b', false], // URI-16: one segment.
  [isHdlUri, 'hdl://10.1.2.3/a', false], // an IPv4 address.
  [isInfoHdl, 'info:hdl/10.1000/a/b', true],
  [isInfoHdl, 'info:hdl/10.1000/a?b', false], // no query.
  [isFedoraPid, `demo%3a${'1'.repeat(59)}`, true],
  [isFedoraPid, `demo:${'1'.repeat(60)}`, false], // FED-06: at most 64 characters.
  [isFedoraDissemination, 'info:fedora/demo:1/1DC', false], // FED-10: an NCName does not begin with a digit.
  [isUuid, 'URN:UUID:f58fb49e-b1f8-48f0-a606-e84cef294be5', true],
  [isUuid, ` ${GUID}`, false], // White space is not trimmed.
];
for (const [is, text, expected] of cases) assert.equal(is(text), expected, String(text));

assert.equal(isHandle('10.1000/\u{1F600}', { charset: 'unicode' }), true);
assert.throws(() => isHandle('10.1000/a', { charset: 'ascii' }), TypeError);
const resolver = toResolver({ scheme: 'https', authority: 'repo.example.org' });
assert.equal(isHttpUri('HTTPS://Repo.Example.org:443/10.1000/a', { resolver }), true);
assert.equal(isHttpUri('https://other.example.org/10.1000/a', { resolver }), false);
