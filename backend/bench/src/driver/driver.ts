import { CutLoad, type CutResult } from './cut-load';
import { CommandLoad, type CommandResult, openIdleSockets } from './command-load';
import { type OpeningResult, VisitorGroup } from './visitor-group';
import { type ContenderKind, openPairs } from './pairs';
import { RelayLoad, type RelayResult } from './relay-load';
import { ReconnectStorm, type StormResult } from './storm';

// The driver process: holds the clients and generates the load. The bench calls it over IPC.

/** Identifies a `Group`. */
type GroupNumber = number;

/** The calls that the driver accepts, and their results. */
export interface DriverCalls {
  /** Opens pairs of clients that send messages to each other. */
  openRelay: {
    request: { kind: ContenderKind; origins: readonly [string, string]; pairs: number };
    response: GroupNumber;
  };
  runRelay: { request: { group: GroupNumber; perSecond: number; seconds: number }; response: RelayResult };
  /**
   * Opens clients that send commands without effect. With two origins, the senders are users of Thaw in chats with
   * users on the other replica. With one origin, they are sockets to a baseline, which has no chats. `isRefInData`:
   * whether the baseline reads the `ref` of a command from its data.
   */
  openCommands: {
    request: { origins: readonly string[]; senders: number; isRefInData?: boolean };
    response: GroupNumber;
  };
  runCommands: {
    request: { group: GroupNumber; perSecond: number; seconds: number };
    response: CommandResult;
  };
  openIdleSockets: {
    request: { kind: 'thaw' | 'bare ws' | 'socket.io'; origin: string; sockets: number };
    response: GroupNumber;
  };
  /** Creates anonymous accounts, whose sockets `openSockets` opens. */
  signUp: { request: { origin: string; visitors: number }; response: GroupNumber };
  openSockets: {
    request: { group: GroupNumber; kind: 'thaw' | 'socket.io'; origin: string; concurrency: number };
    response: OpeningResult;
  };
  closeSockets: { request: { group: GroupNumber }; response: null };
  /** Opens the clients of a reconnect storm: pairs who chat on the replica that will be killed. */
  openStorm: {
    request: { kind: 'thaw' | 'socket.io'; origin: string; pairs: number };
    response: GroupNumber;
  };
  /** Moves the sockets, after a storm, back to the replica that will be killed in the next one. */
  moveToReplica: { request: { group: GroupNumber; origin: string }; response: null };
  /** `proxy`: origin through which the sockets reconnect. */
  runStorm: { request: { group: GroupNumber; proxy: string }; response: StormResult };
  /** Opens pairs whose clients lose their connections repeatedly. */
  openCuts: {
    request: { kind: ContenderKind; origins: readonly [string, string]; pairs: number };
    response: GroupNumber;
  };
  runCuts: { request: { group: GroupNumber; perSecond: number; seconds: number }; response: CutResult };
  closeGroup: { request: { group: GroupNumber }; response: null };
}

export type DriverCall = keyof DriverCalls;

/** Clients that one call has opened for later calls. */
interface Group {
  close(): void;
}

const groups: Group[] = [];

/** The number of a group is its index in `groups`. */
const addGroup = (group: Group): GroupNumber => groups.push(group) - 1;

/**
 * Compares prototypes, because `instanceof` cannot narrow to a class that has no public constructor.
 * @throws Error when no call has opened such a group
 */
const getGroup = <Kind extends Group>(index: GroupNumber, groupClass: { readonly prototype: Kind }): Kind => {
  const group = groups[index];
  if (group && Object.getPrototypeOf(group) === groupClass.prototype) return group as Kind;
  throw new Error(`Group ${index} does not exist or is of another class than this call needs`);
};

const handlers: {
  [Call in DriverCall]: (request: DriverCalls[Call]['request']) => Promise<DriverCalls[Call]['response']>;
} = {
  openRelay: async ({ kind, origins, pairs }) =>
    addGroup(new RelayLoad(await openPairs(kind, origins, pairs))),
  runRelay: ({ group: index, perSecond, seconds }) => getGroup(index, RelayLoad).run(perSecond, seconds),
  openCommands: async ({ origins: [first = '', second], senders, isRefInData = false }) =>
    addGroup(
      second === undefined
        ? await CommandLoad.connectToBaseline(first, senders, { isRefInData })
        : await CommandLoad.openChats([first, second], senders),
    ),
  runCommands: ({ group: index, perSecond, seconds }) => getGroup(index, CommandLoad).run(perSecond, seconds),
  openIdleSockets: async ({ kind, origin, sockets }) => {
    const clients = await openIdleSockets(kind, origin, sockets);
    return addGroup({ close: () => clients.forEach((client) => client.close()) });
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
  openCuts: async ({ kind, origins, pairs }) => addGroup(await CutLoad.open(kind, origins, pairs)),
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
// The process of the bench has ended.
process.on('disconnect', () => process.exit());
