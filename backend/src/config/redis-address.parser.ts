interface Node {
  host: string;
  port: number;
}

interface Credentials {
  username?: string;
  password?: string;
}

/** The parsed form of REDIS_URL. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'cluster'; nodes: readonly Node[]; hasTls: boolean } & Credentials)
  | ({ kind: 'sentinel'; nodes: readonly Node[]; primaryName: string } & Credentials);

const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 };
/** The groups: the protocol, `user:password`, the list of nodes, and the path (the name of the primary). */
const clusterOrSentinelPattern =
  /^(redis\+cluster|rediss\+cluster|redis\+sentinel):\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([\w.-]*))?$/;
const serverPattern = /^rediss?:\/\//;
/** Matches `host[:port]`, where an IPv6 address is in brackets. */
const nodePattern = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;

/**
 * Parses REDIS_URL:
 *   `redis[s]://…` for one server,
 *   `redis[s]+cluster://[user:password@]host[:port],…` with one or more nodes of the cluster, or
 *   `redis+sentinel://[user:password@]host[:port],…/<name of the primary>` with one or more Sentinels.
 * The user may be empty, as in `:password@`.
 * @returns undefined for any other text.
 */
export const parseRedisAddress = (url: string): RedisAddress | undefined => {
  if (serverPattern.test(url)) return URL.canParse(url) ? { kind: 'server', url } : undefined;
  const [, protocol, userInfo, hosts = '', path = ''] = clusterOrSentinelPattern.exec(url) ?? [];
  if (protocol === undefined) return undefined;
  const kind = protocol.endsWith('cluster') ? 'cluster' : 'sentinel';
  const nodes = hosts.split(',').map((text) => parseNode(text, DEFAULT_PORTS[kind]));
  const credentials = parseCredentials(userInfo);
  if (!credentials || !nodes.every((node) => node !== undefined)) return undefined;
  if (kind === 'sentinel') {
    if (path === '') return undefined;
    return { kind, nodes, primaryName: path, ...credentials };
  }
  if (path !== '') return undefined;
  return { kind, nodes, hasTls: protocol.startsWith('rediss'), ...credentials };
};

const parseNode = (text: string, defaultPort: number): Node | undefined => {
  const [, ipv6Address, name, portText] = nodePattern.exec(text) ?? [];
  const host = ipv6Address ?? name;
  if (host === undefined) return undefined;
  const port = portText === undefined ? defaultPort : Number(portText);
  return port > 0 && port < 65_536 ? { host, port } : undefined;
};

/** @returns {} without user info; undefined if it has no `:` before a password, or has an invalid percent-encoding. */
const parseCredentials = (userInfo: string | undefined): Credentials | undefined => {
  if (!userInfo) return {};
  const separator = userInfo.indexOf(':');
  if (separator < 0) return undefined;
  try {
    const username = decodeURIComponent(userInfo.slice(0, separator));
    const password = decodeURIComponent(userInfo.slice(separator + 1));
    // A password without a username is that of Redis' default user.
    return { password, ...(username === '' ? {} : { username }) };
  } catch {
    return undefined;
  }
};
