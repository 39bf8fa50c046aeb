import type { ClientData, ClientEvent } from '@thaw/contract/client-frames';
import type { ServerEvent } from '@thaw/contract/server-frames';
import { DomainError } from '../errors/domain.errors';
import type { SocketConnection } from './socket-connection.model';

/** A client's frame, checked by its schema, as gateway methods receive it. */
export class InboundFrame<E extends ClientEvent = ClientEvent> {
  private hasAnswer = false;

  constructor(
    readonly connection: SocketConnection,
    readonly event: E,
    readonly data: ClientData<E>,
    readonly ref: string | undefined,
  ) {}

  get userId(): number {
    return this.connection.identity.userId;
  }

  /** Whether an answer with the frame's ref has been sent. */
  get isAnswered(): boolean {
    return this.hasAnswer;
  }

  /** Answers with `ack` or another event. Does nothing for a frame without a `ref` or one already answered. */
  answer(data: object, event: ServerEvent = 'ack'): void {
    if (this.hasAnswer || this.ref === undefined) return;
    this.hasAnswer = true;
    this.connection.send(
      `{"event":"${event}","data":${JSON.stringify(data)},"ref":${JSON.stringify(this.ref)}}`,
    );
  }
}

/** @throws DomainError forbidden if a user id that must be the sender's is another user's (A01). */
export const requireOwnId = (givenId: number, frame: Pick<InboundFrame, 'userId'>): void => {
  if (givenId !== frame.userId) throw new DomainError('forbidden');
};
