import { type RequestOptions } from '@/lib/socket/pending-requests';

/** A command waiting for a response; the test calls `ack` or `reject` as the server. */
export interface SentCommand {
  event: string;
  data: Record<string, unknown>;
  ack: (data: Record<string, unknown>) => void;
  reject: (error: unknown) => void;
}

/** Fake of the connection as features use it: a `FeatureSocket` with `resync`. The test acts as the server. */
export class FakeFeatureSocket {
  isOpen = true;
  resyncCount = 0;
  /** Frames of `send`, in order. */
  readonly sent: { event: string; data: unknown }[] = [];
  /** Calls of `request`, in order, also those while `isOpen` is false. */
  readonly commands: SentCommand[] = [];

  send = (event: string, data: unknown): boolean => {
    if (this.isOpen) this.sent.push({ event, data });
    return this.isOpen;
  };

  request = (event: string, data: object, options?: RequestOptions): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const ack: SentCommand['ack'] = (ackData) => {
        options?.onAck?.(ackData);
        resolve(ackData);
      };
      // Spread, because the type `object` is not assignable to a record.
      this.commands.push({ event, data: { ...data }, ack, reject });
    });

  resync = (): void => {
    this.resyncCount += 1;
  };

  /** The commands of one event, in order. */
  listCommands(event: string): SentCommand[] {
    return this.commands.filter((command) => command.event === event);
  }
}
