// Whether two texts denote the same thing.
const assert = require('node:assert/strict');
const { comparisonKey, normalize, recognize, registryKey, sameName, toCordraId } = require('@mintmark/identifier');

function same(one, other, options) {
  const [a, b] = [recognize(one), recognize(other)];
  return a.ok && b.ok && sameName(a.value.name, b.value.name, options);
}

const id = '100.102/F58FB49EB1F848F0A606E84CEF294BE5';
assert.equal(same('doi:10.1000/A', ' <https://doi.org/10.1000/A> '), true);
assert.equal(same('doi:10.1000/A', 'doi:10.1000/a'), false); // HS-04: a local name has a case.
assert.equal(same('doi:10.1000/A', 'doi:10.1000/a', { caseInsensitive: true }), true);
assert.equal(same('10.ABC/x', '10.abc/x'), true); // a naming authority has none.
assert.equal(same('0.NA/10.abc', '0.na/10.ABC'), true);
assert.equal(same(`info:hdl/${id}`, `hdl://${id.toLowerCase()}`), true);
assert.equal(same(id, `${id}?v=2`), false);
assert.equal(same('demo:1', 'info:fedora/demo%3A1'), true);
assert.equal(same('demo:1', 'Demo:1'), false); // FED-02.

assert.equal(comparisonKey(toCordraId(id)), 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5');
assert.equal(registryKey(toCordraId(`${id}?v=2`)), id); // without the query.
assert.equal(normalize(id.toLowerCase(), 'cordra', { equalTo: id }).equal, true);
