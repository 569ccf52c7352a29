// One parser alone, so that a bundle is small.
import assert from 'node:assert/strict';
import { parseUuid } from '@mintmark/identifier';

const read = parseUuid('{f58fb49e-b1f8-48f0-a606-e84cef294be5}');
assert.equal(read.ok && read.value.hex, 'F58FB49EB1F848F0A606E84CEF294BE5');
assert.equal(read.ok && read.repairs.join(' '), 'GUID_UPPERCASED BRACES_REMOVED HYPHENS_REMOVED');
