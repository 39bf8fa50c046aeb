import { performance } from 'node:perf_hooks';
import { runInParallel } from './run-in-parallel';
import { createVisitor, type Visitor } from './visitor';
import { JsonWire, SocketIoWire, type Wire } from './wire';

export interface OpeningResult {
  /** Number of open, authenticated sockets. One that could not be opened is not tried again. */
  opened: number;
  seconds: number;
  /** The first error of opening or authenticating a socket. */
  firstError?: string;
}

const SIGN_UP_CONCURRENCY = 16;

/** Visitors with accounts. The sockets, one for each visitor, stay open until the group closes them. */
export class VisitorGroup {
  private wires: Wire[] = [];

  private constructor(private readonly visitors: readonly Visitor[]) {}

  static async signUp(origin: string, count: number): Promise<VisitorGroup> {
    const visitors: Visitor[] = [];
    await runInParallel(
      count,
      SIGN_UP_CONCURRENCY,
      async () => void visitors.push(await createVisitor(origin)),
    );
    return new VisitorGroup(visitors);
  }

  /** Opens and authenticates a socket for each visitor, `concurrency` at a time. */
  async openSockets(kind: 'thaw' | 'socket.io', origin: string, concurrency: number): Promise<OpeningResult> {
    const openSocket = kind === 'thaw' ? openThawSocket : openSocketIoSocket;
    let firstError: string | undefined;
    const startedAt = performance.now();
    await runInParallel(this.visitors.length, concurrency, async (index) => {
      const visitor = this.visitors[index];
      if (!visitor) return; // only satisfies the compiler: there are as many visitors as calls
      try {
        const wire = await openSocket(origin, visitor);
        this.wires.push(wire);
      } catch (error) {
        firstError ??= String(error);
      }
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    return { opened: this.wires.length, seconds, firstError };
  }

  /** Closes every socket. Resolves when all of them are closed. */
  async closeSockets(): Promise<void> {
    await Promise.all(this.wires.splice(0).map((wire) => wire.closeAndWait()));
  }

  /** As `closeSockets`, but does not wait. For clean-up. */
  close(): void {
    for (const wire of this.wires) wire.close();
  }
}

const openThawSocket = async (origin: string, { userId, cookie }: Visitor): Promise<Wire> => {
  const wire = await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`, { headers: { cookie } });
  await wire.request('authenticate', { userId }, 'authenticated');
  return wire;
};

const openSocketIoSocket = (origin: string, { cookie }: Visitor): Promise<Wire> =>
  SocketIoWire.open(origin, { headers: { cookie } });
