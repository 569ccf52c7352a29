// All renderings of one name, and why some do not exist.
import assert from 'node:assert/strict';
import { type Uris, toCordraId, toHandle, toResolver, unavailableUris, urisOf } from '@mintmark/identifier';
import { canonicalUri, toFedoraPid, toUuid } from '@mintmark/identifier';

const resolver = toResolver({ scheme: 'https', authority: 'repo.example.org', firstSegment: 'hdl' });
const expected: Uris = {
  cordraPath: 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5?v=2#p1',
  cordraHost: 'hdl://100.102/F58FB49EB1F848F0A606E84CEF294BE5?v=2#p1',
  resolver: 'https://repo.example.org/hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5?v=2#p1',
  handleUri: 'hdl:100.102/F58FB49EB1F848F0A606E84CEF294BE5?v=2#p1',
  infoHdl: 'info:hdl/100.102/F58FB49EB1F848F0A606E84CEF294BE5%3Fv=2%23p1',
  fedoraUri: null,
};
assert.deepEqual(urisOf(toCordraId('100.102/f58fb49eb1f848f0a606e84cef294be5?v=2#p1'), { resolver }), expected);

const dot = toHandle({ namingAuthority: '10.1.2.3', localName: '.' });
const uris = urisOf(dot, { resolver });
assert.deepEqual([uris.cordraPath, uris.cordraHost, uris.resolver], ['hdl:10.1.2.3/.', null, null]);
const why = unavailableUris(dot, { resolver });
assert.deepEqual([why.cordraPath, why.cordraHost, why.resolver], [undefined, 'R-07', 'R-34']);
assert.equal(unavailableUris(toHandle('10.1000/')).cordraPath, 'R-11');

const slash = urisOf(toHandle('10.1000/a/b c'));
assert.deepEqual([slash.cordraPath, slash.infoHdl], ['hdl:10.1000/a%2Fb%20c', 'info:hdl/10.1000/a/b%20c']);
assert.equal(urisOf(toFedoraPid('demo%3a1%2f')).fedoraUri, 'info:fedora/demo:1%2F'); // FED-08, FED-09.
const uuid = toUuid('F58FB49EB1F848F0A606E84CEF294BE5');
assert.equal(canonicalUri(uuid), 'urn:uuid:f58fb49e-b1f8-48f0-a606-e84cef294be5');
