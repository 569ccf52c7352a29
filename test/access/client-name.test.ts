import { describe, expect, it } from '@jest/globals';
import { ADMIN, ANYONE, Caller, READER } from '../../src/access/caller.js';
import { clientName, networkOf } from '../../src/access/client-name.js';

describe('the name under which requests are counted', () => {
  it('is the key wherever it comes from, and the address where there is no key', () => {
    const caller = new Caller('repository', 'key-7', ['mint'], null);
    expect(clientName(caller, '192.0.2.1')).toBe(clientName(caller.readingOpenly(), '192.0.2.2'));
    expect(clientName(caller, '192.0.2.1')).not.toBe(
      clientName(new Caller('repository', 'key-8', [], null), '192.0.2.1'),
    );
    for (const anonymous of [ANYONE, READER]) expect(clientName(anonymous, '192.0.2.1')).toBe('192.0.2.1');
    expect(clientName(ADMIN, '192.0.2.1')).toBe(clientName(ADMIN.readingOpenly(), '192.0.2.2'));
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['1::4:5:6:7:8', '1:0:0:4'],
    ['::1', '0:0:0:0'],
  ])('counts %s with its network %s', (address, network) => {
    expect(networkOf(address)).toBe(network);
  });
});
