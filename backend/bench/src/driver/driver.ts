import { CutLoad, type CutResult } from './cut-load';
import { CommandLoad, type CommandResult, openIdleSockets } from './command-load';
import { type OpeningResult, VisitorGroup } from './visitor-group';
import { type ContenderKind, openPairs } from './pairs';
import { RelayLoad, type RelayResult } from './relay-load';
import { ReconnectStorm, type StormResult } from './storm';
import { SocketIoWire } from './wire';

/** The number under which the load process keeps clients that one call opened for later calls. */
type GroupNumber = number;

/** Calls that the load process accepts, and their results. */
export interface DriverCalls {
  openRelay: {
    request: { contender: ContenderKind; origins: readonly [string, string]; pairs: number };
    response: GroupNumber;
  };
  runRelay: { request: { group: number; perSecond: number; seconds: number }; response: RelayResult };
  /**
   * With one origin, sockets to a server without chats, which may expect the `ref` inside `data`; with two, chats of
   * Thaw over two replicas.
   */
  openCommands: {
    request: { origins: readonly string[]; sockets: number; isRefInData?: boolean };
    response: GroupNumber;
  };
  runCommands: { request: { group: number; perSecond: number; seconds: number }; response: CommandResult };
  openIdleSockets: {
    request: { kind: 'thaw' | 'bare ws' | 'socket.io'; origin: string; sockets: number };
    response: GroupNumber;
  };
  signUp: { request: { origin: string; visitors: number }; response: GroupNumber };
  openSockets: {
    request: { group: number; kind: 'thaw' | 'socket.io'; origin: string; concurrency: number };
    response: OpeningResult;
  };
  closeSockets: { request: { group: number }; response: null };
  /** A reconnect storm: pairs who chat on the replica that will be killed, and then reconnect through a proxy. */
  openStorm: {
    request: { kind: 'thaw' | 'socket.io'; origin: string; pairs: number };
    response: GroupNumber;
  };
  moveToReplica: { request: { group: number; origin: string }; response: null };
  runStorm: { request: { group: number; proxy: string }; response: StormResult };
  /** Pairs whose clients lose their connections repeatedly. */
  openCuts: {
    request: { contender: ContenderKind; origins: readonly [string, string]; pairs: number };
    response: GroupNumber;
  };
  runCuts: { request: { group: number; perSecond: number; seconds: number }; response: CutResult };
  closeGroup: { request: { group: number }; response: null };
}

export type DriverCall = keyof DriverCalls;

/** Clients that were opened by one call and are used by later ones. */
interface Group {
  close(): void;
}

const groups: Group[] = [];

const addGroup = (group: Group): number => groups.push(group) - 1;

/** Not `instanceof`, which needs a public constructor. */
const getGroup = <Kind extends Group>(index: number, kind: { readonly prototype: Kind }): Kind => {
  const found = groups[index];
  if (found && Object.getPrototypeOf(found) === kind.prototype) return found as Kind;
  throw new Error(`Group ${index} does not exist or is no group of this call`);
};

const handlers: {
  [Call in DriverCall]: (request: DriverCalls[Call]['request']) => Promise<DriverCalls[Call]['response']>;
} = {
  openRelay: async ({ contender, origins, pairs }) =>
    addGroup(new RelayLoad(await openPairs(contender, origins, pairs))),
  runRelay: ({ group: index, perSecond, seconds }) => getGroup(index, RelayLoad).run(perSecond, seconds),
  openCommands: async ({ origins: [first = '', second], sockets, isRefInData = false }) =>
    addGroup(
      second === undefined
        ? await CommandLoad.connectBare(first, sockets, isRefInData)
        : await CommandLoad.openChats([first, second], sockets),
    ),
  runCommands: ({ group: index, perSecond, seconds }) => getGroup(index, CommandLoad).run(perSecond, seconds),
  openIdleSockets: async ({ kind, origin, sockets }) => {
    const wires = await openIdleSockets(kind, origin, sockets, (url) => SocketIoWire.open(url));
    return addGroup({ close: () => wires.forEach((wire) => wire.close()) });
  },
  signUp: async ({ origin, visitors }) => addGroup(await VisitorGroup.signUp(origin, visitors)),
  openSockets: ({ group: index, kind, origin, concurrency }) =>
    getGroup(index, VisitorGroup).openSockets(kind, origin, concurrency),
  closeSockets: async ({ group: index }) => {
    await getGroup(index, VisitorGroup).closeSockets();
    return null;
  },
  openStorm: async ({ kind, origin, pairs }) => addGroup(await ReconnectStorm.open(kind, origin, pairs)),
  moveToReplica: async ({ group: index, origin }) => {
    await getGroup(index, ReconnectStorm).moveTo(origin);
    return null;
  },
  runStorm: ({ group: index, proxy }) => getGroup(index, ReconnectStorm).run(proxy),
  openCuts: async ({ contender, origins, pairs }) => addGroup(await CutLoad.open(contender, origins, pairs)),
  runCuts: ({ group: index, perSecond, seconds }) => getGroup(index, CutLoad).run(perSecond, seconds),
  closeGroup: async ({ group: index }) => {
    groups[index]?.close();
    return null;
  },
};

process.on('message', ({ id, call, request }: { id: number; call: DriverCall; request: never }) => {
  handlers[call](request).then(
    (response) => process.send?.({ id, response }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
