interface Node {
  host: string;
  port: number;
}

interface Credentials {
  username?: string;
  password?: string;
}

/** Where Redis is, as REDIS_URL says. */
export type RedisAddress =
  | { kind: 'server'; url: string }
  | ({ kind: 'cluster'; nodes: readonly Node[]; hasTls: boolean } & Credentials)
  | ({ kind: 'sentinel'; nodes: readonly Node[]; primaryName: string } & Credentials);

const DEFAULT_PORTS = { cluster: 6379, sentinel: 26379 };
const addressPattern =
  /^(redis\+cluster|rediss\+cluster|redis\+sentinel):\/\/(?:([^@/]*)@)?([^@/?#]+)(?:\/([\w.-]*))?$/;
const serverPattern = /^rediss?:\/\//;
/** An IPv6 address is written in brackets. */
const nodePattern = /^(?:\[([\da-f:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/i;

/**
 * Parses REDIS_URL: `redis[s]://…` of one server, `redis[s]+cluster://[user:password@]host:port,…` with any of the
 * nodes of a cluster, or `redis+sentinel://[user:password@]host:port,…/<name of the primary>`.
 * @returns undefined for anything else.
 */
export const parseRedisAddress = (url: string): RedisAddress | undefined => {
  if (serverPattern.test(url)) return URL.canParse(url) ? { kind: 'server', url } : undefined;
  const [, protocol, userInfo, hosts = '', path = ''] = addressPattern.exec(url) ?? [];
  if (protocol === undefined) return undefined;
  const kind = protocol.endsWith('cluster') ? 'cluster' : 'sentinel';
  const nodes = hosts.split(',').map((text) => parseNode(text, DEFAULT_PORTS[kind]));
  const credentials = parseCredentials(userInfo);
  if (!credentials || !nodes.every((node) => node !== undefined)) return undefined;
  if (kind === 'sentinel')
    return path === '' ? undefined : { kind, nodes, primaryName: path, ...credentials };
  return path === '' ? { kind, nodes, hasTls: protocol.startsWith('rediss'), ...credentials } : undefined;
};

const parseNode = (text: string, defaultPort: number): Node | undefined => {
  const [matched, address, name, port] = nodePattern.exec(text) ?? [];
  if (matched === undefined) return undefined;
  const number = port === undefined ? defaultPort : Number(port);
  return number > 0 && number < 65_536 ? { host: address ?? name ?? '', port: number } : undefined;
};

const parseCredentials = (userInfo: string | undefined): Credentials | undefined => {
  if (!userInfo) return {};
  const separator = userInfo.indexOf(':');
  if (separator < 0) return undefined;
  try {
    const username = decodeURIComponent(userInfo.slice(0, separator));
    const password = decodeURIComponent(userInfo.slice(separator + 1));
    return { password, ...(username === '' ? {} : { username }) };
  } catch {
    return undefined; // not percent-encoded
  }
};
