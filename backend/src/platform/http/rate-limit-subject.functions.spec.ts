import { toRateLimitSubject } from './rate-limit-subject.functions';

describe('toRateLimitSubject', () => {
  it.each([
    ['an IPv4 address', '203.0.113.7', '203.0.113.7'],
    ['the IPv4 address of an IPv4-mapped IPv6 address', '::ffff:203.0.113.7', '203.0.113.7'],
    ['the /64 network of an IPv6 address', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['the network without leading zeros', '2001:0db8:0001:0002::1', '2001:db8:1:2'],
    ['the network of an abbreviated address', '2001:db8::1', '2001:db8:0:0'],
    ['the network of the loopback address', '::1', '0:0:0:0'],
    ['the network without the zone', 'fe80::1%eth0', 'fe80:0:0:0'],
    ['text that is no address, unchanged', 'not an address', 'not an address'],
    ['`unknown` without an address', undefined, 'unknown'],
  ])('returns %s (address %p, subject %p)', (_label, address, subject) => {
    expect(toRateLimitSubject(address)).toBe(subject);
  });
});
