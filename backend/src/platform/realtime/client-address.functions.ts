import type { IncomingMessage } from 'node:http';

/**
 * Returns the client's address, as Express does with `trust proxy`; '' if the connection is already closed.
 * @param trustedProxies number of proxies in front of the replica, each of which extends or overwrites
 *   X-Forwarded-For; 0 ignores the header
 */
export const readClientAddress = (request: IncomingMessage, trustedProxies: number): string => {
  const peerAddress = request.socket.remoteAddress ?? '';
  const header = request.headers['x-forwarded-for'];
  if (trustedProxies === 0 || header === undefined) return peerAddress;
  // A trusted proxy appends the address that it received the request from; a client can forge only earlier entries. If
  // a proxy overwrites the header with that address, there may be fewer entries than proxies.
  const addresses = String(header).split(',');
  return addresses[Math.max(0, addresses.length - trustedProxies)]?.trim() || peerAddress;
};
