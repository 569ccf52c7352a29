// Parses a Fedora dissemination URI, changes it and formats it.
import assert from 'node:assert/strict';
import { type FedoraDissemination, formatFedoraDissemination, toFedoraDissemination } from '@mintmark/identifier';

const call: FedoraDissemination = toFedoraDissemination('info:fedora/demo%3a1/demo:S/p%61ge?z=1&n=a%2fb');
if (call.shape !== 'method-call') throw new Error(call.datastreamId);
assert.deepEqual([call.pid.objectId, call.sDefPid.objectId, call.methodName], ['1', 'S', 'page']); // FED-19.
const pairs = call.params.map(({ name, value }) => `${name} is ${value}`);
assert.deepEqual(pairs, ['n is a/b', 'z is 1']); // FED-21: sorted.
assert.equal(formatFedoraDissemination(call), 'info:fedora/demo:1/demo:S/page?n=a%2Fb&z=1'); // FED-20.

// Another method, another value and one more parameter.
const params = call.params.map((param) => (param.name === 'z' ? { name: 'z', value: '2' } : param));
const print = toFedoraDissemination({ ...call, methodName: 'print', params: [...params, { name: 'b', value: 'x y' }] });
assert.equal(formatFedoraDissemination(print), 'info:fedora/demo:1/demo:S/print?b=x%20y&n=a%2Fb&z=2');

const datastream = (datastreamId: string): string =>
  formatFedoraDissemination(toFedoraDissemination({ pid: call.pid, datastreamId }));
assert.equal(datastream('\u00E9t'), 'info:fedora/demo:1/%C3%A9t'); // FED-17.
assert.throws(() => datastream('D'.repeat(65)), { code: 'INVALID_DATASTREAM_ID', rule: 'FED-11' });
