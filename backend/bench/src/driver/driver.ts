import { CommandLoad, type CommandResult, openIdle } from './command-load';
import { type ArrivalResult, Crowd } from './crowd';
import { type Contender, openPairs } from './pairs';
import { RelayLoad, type RelayResult } from './relay-load';
import { Storm, type StormResult } from './storm';
import { SocketIoWire } from './wire';

/** Calls that the load process accepts, and their results. */
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
  signUp: { ask: { origin: string; visitors: number }; answer: number };
  arrive: {
    ask: { group: number; kind: 'thaw' | 'socket.io'; origin: string; atOnce: number };
    answer: ArrivalResult;
  };
  leave: { ask: { group: number }; answer: null };
  openStorm: { ask: { kind: 'thaw' | 'socket.io'; origin: string; pairs: number }; answer: number };
  gather: { ask: { group: number; origin: string }; answer: null };
  storm: { ask: { group: number; proxy: string }; answer: StormResult };
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
  signUp: async ({ origin, visitors }) => keep(await Crowd.signUp(origin, visitors)),
  arrive: ({ group: index, kind, origin, atOnce }) => group(index, Crowd).arrive(kind, origin, atOnce),
  leave: async ({ group: index }) => {
    await group(index, Crowd).leave();
    return null;
  },
  openStorm: async ({ kind, origin, pairs }) => keep(await Storm.open(kind, origin, pairs)),
  gather: async ({ group: index, origin }) => {
    await group(index, Storm).gather(origin);
    return null;
  },
  storm: ({ group: index, proxy }) => group(index, Storm).run(proxy),
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
