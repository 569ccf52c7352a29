import { describe, expect, it } from '@jest/globals';
import { ADMIN, OPEN_ACCESS, Principal, PUBLIC_READER, clientIdentity } from '../../src/access/principal.js';
import { ipPrefixOf } from '../../src/http/ip-prefix.js';

describe('the name under which requests are counted', () => {
  it('is the key from any address, and the address without a key', () => {
    const principal = new Principal('repository', 'key-7', ['mint'], null);
    expect(clientIdentity(principal, '192.0.2.1')).toBe(clientIdentity(principal.withPublicRead(), '192.0.2.2'));
    expect(clientIdentity(principal, '192.0.2.1')).not.toBe(
      clientIdentity(new Principal('repository', 'key-8', [], null), '192.0.2.1'),
    );
    for (const anonymous of [OPEN_ACCESS, PUBLIC_READER])
      expect(clientIdentity(anonymous, '192.0.2.1')).toBe('192.0.2.1');
    expect(clientIdentity(ADMIN, '192.0.2.1')).toBe(clientIdentity(ADMIN.withPublicRead(), '192.0.2.2'));
  });

  it.each([
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::6', '2001:db8:1:2'],
    ['2001:db8::6', '2001:db8:0:0'],
    ['2001:0DB8:0001:0000::6', '2001:db8:1:0'],
    ['1::4:5:6:7:8', '1:0:0:4'],
    ['::1', '0:0:0:0'],
    // The address of a connection that is closed already.
    [undefined, 'disconnected'],
  ])('counts %s with its network %s', (address, network) => {
    expect(ipPrefixOf(address)).toBe(network);
  });
});
