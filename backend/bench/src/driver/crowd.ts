import { performance } from 'node:perf_hooks';
import { inParallel, visit, type Visitor } from './visitor';
import { JsonWire, SocketIoWire, type Wire } from './wire';

export interface ArrivalResult {
  opened: number;
  seconds: number;
  /** Error of the first socket that did not open. */
  refusal?: string;
}

const SIGN_UPS_AT_ONCE = 16;

/** Visitors who each have a login, open one socket and close it again. */
export class Crowd {
  private wires: Wire[] = [];

  private constructor(private readonly visitors: readonly Visitor[]) {}

  static async signUp(origin: string, count: number): Promise<Crowd> {
    const visitors: Visitor[] = [];
    await inParallel(count, SIGN_UPS_AT_ONCE, async () => void visitors.push(await visit(origin)));
    return new Crowd(visitors);
  }

  /** Opens and authenticates a socket for each visitor, `width` at a time. */
  async arrive(kind: 'thaw' | 'socket.io', origin: string, width: number): Promise<ArrivalResult> {
    let refusal: string | undefined;
    const startedAt = performance.now();
    await inParallel(this.visitors.length, width, async (index) => {
      const visitor = this.visitors[index];
      if (!visitor) return;
      try {
        this.wires.push(await (kind === 'thaw' ? openThaw : openSocketIo)(origin, visitor));
      } catch (error) {
        refusal ??= String(error);
      }
    });
    const seconds = (performance.now() - startedAt) / 1_000;
    return { opened: this.wires.length, seconds, refusal };
  }

  /** Closes every socket. Resolves when all of them are closed. */
  async leave(): Promise<void> {
    await Promise.all(this.wires.splice(0).map((wire) => wire.leave()));
  }

  close(): void {
    for (const wire of this.wires) wire.close();
  }
}

const openThaw = async (origin: string, { userId, cookie }: Visitor): Promise<Wire> => {
  const wire = await JsonWire.open(`${origin.replace(/^http/, 'ws')}/ws`, { headers: { cookie } });
  await wire.request('authenticate', { userId }, 'authenticated');
  return wire;
};

const openSocketIo = (origin: string, { cookie }: Visitor): Promise<Wire> =>
  SocketIoWire.open(origin, { cookie });
