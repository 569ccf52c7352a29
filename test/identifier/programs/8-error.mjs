// Shows where a text is wrong and by which rule.
import assert from 'node:assert/strict';
import { IdentifierSyntaxError, recognize, toCordraId, toFedoraPid, toHandle, unwrap } from '@mintmark/identifier';

function explain(read, text) {
  try {
    read(text);
  } catch (error) {
    if (!(error instanceof IdentifierSyntaxError)) throw error;
    assert.equal(error.fault.offset, error.offset);
    return `${error.code} ${error.offset} ${error.rule}`;
  }
  return null;
}

assert.equal(explain(toHandle, '10.1000/a'), null);
assert.equal(explain(toHandle, '10.1000'), 'MISSING_SEPARATOR 7 HS-01');
assert.match(explain(toHandle, '10.1000/\u{1F600}'), /^NOT_UCS2 8 /);
assert.equal(explain(toCordraId, '100.102/F58Fx49EB1F848F0A606E84CEF294BE5'), 'INVALID_GUID 12 CID-10');
assert.match(explain(toFedoraPid, `demo:${'1'.repeat(60)}`), /^PID_TOO_LONG \d+ FED-06$/);

// The offset counts in the caller's string, also behind trimmed white space.
const any = (text) => unwrap(recognize(text));
assert.match(explain(any, ' hdl:10.1000/a%ZZ'), /^INVALID_PERCENT_ENCODING 14 /);
