// Narrows by the kind of a reading and by the type of a name; a new kind would not compile.
import assert from 'node:assert/strict';
import { type Reading, recognize } from '@mintmark/identifier';

function about(reading: Reading): string {
  switch (reading.kind) {
    case 'cordra':
      return reading.name.guid + (reading.parts.query ?? ' without query');
    case 'handle':
      return reading.name.localName;
    case 'hdl-uri':
    case 'http-uri':
    case 'info-hdl':
      return reading.name.type === 'cordra' ? reading.name.guid : reading.name.localName;
    case 'fedora-pid':
    case 'fedora-uri':
      return reading.name.namespaceId;
    case 'fedora-dissemination':
      return reading.name.shape === 'datastream' ? reading.name.datastreamId : reading.name.methodName;
    case 'uuid':
      return `${reading.parts.variant} ${reading.parts.version ?? 'without version'}`;
    default:
      return reading satisfies never;
  }
}

const cases: readonly (readonly [string, string])[] = [
  ['1/F58FB49EB1F848F0A606E84CEF294BE5', 'F58FB49EB1F848F0A606E84CEF294BE5 without query'],
  ['hdl:10.1000/a%2Fb', 'a/b'],
  ['info:hdl/1/f58fb49eb1f848f0a606e84cef294be5', 'F58FB49EB1F848F0A606E84CEF294BE5'],
  ['info:fedora/demo:1', 'demo'],
  ['info:fedora/demo:1/demo:S/page', 'page'],
  ['urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5', 'rfc4122 4'],
];
for (const [text, expected] of cases) {
  const read = recognize(text);
  assert.equal(read.ok ? about(read.value) : read.fault.detail, expected);
}

// A failure has a fault in place of a value, and the most similar kind.
const read = recognize('info:fedora/demo:1/1DC');
assert.deepEqual(read.ok ? null : [read.kind, read.fault.code], ['fedora-dissemination', 'INVALID_DATASTREAM_ID']);
