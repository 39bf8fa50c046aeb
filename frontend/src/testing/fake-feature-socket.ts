import { type RequestOptions } from '@/lib/socket/pending-requests';

/** A command that waits for the server's response, which the test provides. */
export interface SentCommand {
  event: string;
  data: Record<string, unknown>;
  ack: (data: Record<string, unknown>) => void;
  reject: (error: unknown) => void;
}

/** A fake connection of a feature; the test plays the server. */
export class FakeFeatureSocket {
  isOpen = true;
  resyncs = 0;
  readonly sent: { event: string; data: unknown }[] = [];
  readonly commands: SentCommand[] = [];

  send = (event: string, data: unknown): boolean => {
    if (this.isOpen) this.sent.push({ event, data });
    return this.isOpen;
  };

  request = (event: string, data: object, options?: RequestOptions): Promise<Record<string, unknown>> =>
    new Promise((resolve, reject) => {
      const ack: SentCommand['ack'] = (given) => {
        options?.onAck?.(given);
        resolve(given);
      };
      this.commands.push({ event, data: { ...data }, ack, reject });
    });

  resync = (): void => {
    this.resyncs += 1;
  };

  /** The commands of one event, in order. */
  listCommands(event: string): SentCommand[] {
    return this.commands.filter((command) => command.event === event);
  }
}
