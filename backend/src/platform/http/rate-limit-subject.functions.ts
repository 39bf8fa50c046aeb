import { isIPv6 } from 'node:net';

/**
 * Returns the subject to which rate limits charge the requests of an IP address: an IPv4 address itself, or the /64
 * network of an IPv6 address, because providers assign a whole /64 to one customer. Without an address: `unknown`.
 */
export const toRateLimitSubject = (address: string | undefined): string => {
  if (!address) return 'unknown';
  const mappedIpv4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mappedIpv4) return mappedIpv4;
  if (!isIPv6(address)) return address;
  // Drops the zone (`%eth0`). `::` stands for the zeros that are missing from the eight groups.
  const [head = '', tail] = address.replace(/%.*/, '').split('::');
  const headGroups = head ? head.split(':') : [];
  const tailGroups = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array<string>(8 - headGroups.length - tailGroups.length).fill('0');
  return [...headGroups, ...zeros, ...tailGroups]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':');
};
