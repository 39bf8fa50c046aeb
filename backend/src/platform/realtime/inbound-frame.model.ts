import type { ClientData, ClientEvent } from '@thaw/contract/client-frames';
import type { ServerEvent } from '@thaw/contract/server-frames';
import { DomainError } from '../errors/domain.errors';
import type { SocketConnection } from './socket-connection.model';

/** A client's frame as gateway methods receive it: its data has been validated by the event's schema. */
export class InboundFrame<E extends ClientEvent = ClientEvent> {
  private hasBeenAnswered = false;

  constructor(
    readonly connection: SocketConnection,
    readonly event: E,
    readonly data: ClientData<E>,
    /** Chosen by the client to recognise the answer; without a ref, the frame is not answered. */
    readonly ref: string | undefined,
  ) {}

  get userId(): number {
    return this.connection.identity.userId;
  }

  /** Whether an answer with the frame's ref has been sent. */
  get isAnswered(): boolean {
    return this.hasBeenAnswered;
  }

  /** Sends the answer, with `ack` or another event. Does nothing if the frame has no ref or is answered already. */
  answer(data: object, event: ServerEvent = 'ack'): void {
    if (this.hasBeenAnswered || this.ref === undefined) return;
    this.hasBeenAnswered = true;
    // Joined by hand, because serialising the whole frame as one object would cost more CPU.
    this.connection.send(
      `{"event":"${event}","data":${JSON.stringify(data)},"ref":${JSON.stringify(this.ref)}}`,
    );
  }
}

/**
 * Checks that a user id in a frame is the id of the user who sent the frame.
 * @throws DomainError forbidden if it is another user's id.
 */
export const requireOwnId = (givenId: number, frame: Pick<InboundFrame, 'userId'>): void => {
  if (givenId !== frame.userId) throw new DomainError('forbidden');
};
