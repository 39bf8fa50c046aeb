import type { IncomingMessage } from 'node:http';

/**
 * Returns the client's address.
 * @param trustedProxies number of proxies in front that overwrite or extend X-Forwarded-For; 0 ignores the header.
 */
export const readClientAddress = (request: IncomingMessage, trustedProxies: number): string => {
  const direct = request.socket.remoteAddress ?? '';
  const header = request.headers['x-forwarded-for'];
  if (trustedProxies === 0 || header === undefined) return direct;
  const hops = String(header).split(',');
  return hops[Math.max(0, hops.length - trustedProxies)]?.trim() || direct;
};
