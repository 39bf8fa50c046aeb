import { isIPv6 } from 'node:net';

/**
 * The subject of an address for rate limits: an IPv4 address, or the /64 of an IPv6 address, which providers assign to
 * one customer.
 */
export const toRateLimitSubject = (address: string | undefined): string => {
  if (!address) return 'unknown';
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped) return mapped;
  if (!isIPv6(address)) return address;
  // Without the zone (`%eth0`). `::` stands for as many zeros as are missing from the eight groups.
  const [head = '', tail] = address.split('%')[0]?.split('::') ?? [];
  const left = head ? head.split(':') : [];
  const right = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - left.length - right.length).fill('0');
  return [...left, ...zeros, ...right]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
