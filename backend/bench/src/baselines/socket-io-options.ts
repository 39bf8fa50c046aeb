/** The leanest configuration of Socket.IO: WebSocket only, no compression and no HTTP extras. */
export const leanSocketIoOptions = {
  // The path of Thaw's sockets, so that the same configuration of nginx proxies both.
  path: '/ws',
  addTrailingSlash: false,
  transports: ['websocket' as const],
  allowUpgrades: false,
  perMessageDeflate: false,
  httpCompression: false,
  serveClient: false,
};
