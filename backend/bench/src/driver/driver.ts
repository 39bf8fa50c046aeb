import { CommandLoad, type CommandResult, openIdle } from './command-load';
import { type Contender, openPairs } from './pairs';
import { RelayLoad, type RelayResult } from './relay-load';
import { SocketIoWire } from './wire';

/** What the load process can be asked for, and what it answers. */
export interface DriverCalls {
  openRelay: {
    ask: { contender: Contender; origins: readonly [string, string]; pairs: number };
    answer: number;
  };
  relay: { ask: { group: number; perSecond: number; seconds: number }; answer: RelayResult };
  openCommands: {
    ask: { origins: readonly string[]; sockets: number; isRefInData?: boolean };
    answer: number;
  };
  command: { ask: { group: number; perSecond: number; seconds: number }; answer: CommandResult };
  openIdle: {
    ask: { kind: 'thaw' | 'json' | 'socket.io'; origin: string; sockets: number };
    answer: number;
  };
  close: { ask: { group: number }; answer: null };
}

export type DriverCall = keyof DriverCalls;

interface Group {
  close(): void;
}

const groups: Group[] = [];

const keep = (group: Group): number => groups.push(group) - 1;

const group = <Kind extends Group>(index: number, kind: { readonly prototype: Kind }): Kind => {
  const found = groups[index];
  if (found && Object.getPrototypeOf(found) === kind.prototype) return found as Kind;
  throw new Error(`Group ${index} is of another kind`);
};

const handlers: {
  [Call in DriverCall]: (ask: DriverCalls[Call]['ask']) => Promise<DriverCalls[Call]['answer']>;
} = {
  openRelay: async ({ contender, origins, pairs }) =>
    keep(new RelayLoad(await openPairs(contender, origins, pairs))),
  relay: ({ group: index, perSecond, seconds }) => group(index, RelayLoad).run(perSecond, seconds),
  openCommands: async ({ origins: [first = '', second], sockets, isRefInData = false }) =>
    keep(
      second === undefined
        ? await CommandLoad.bare(first, sockets, isRefInData)
        : await CommandLoad.inChats([first, second], sockets),
    ),
  command: ({ group: index, perSecond, seconds }) => group(index, CommandLoad).run(perSecond, seconds),
  openIdle: async ({ kind, origin, sockets }) => {
    const wires = await openIdle(kind, origin, sockets, { socketIo: (url) => SocketIoWire.open(url) });
    return keep({ close: () => wires.forEach((wire) => wire.close()) });
  },
  close: async ({ group: index }) => {
    groups[index]?.close();
    return null;
  },
};

process.on('message', ({ id, call, ask }: { id: number; call: DriverCall; ask: never }) => {
  handlers[call](ask).then(
    (answer) => process.send?.({ id, answer }),
    (error: unknown) => process.send?.({ id, error: error instanceof Error ? error.stack : String(error) }),
  );
});
process.on('disconnect', () => process.exit());
