import { Injectable } from '@nestjs/common';
import type { InboundFrame } from '../../../platform/realtime/inbound-frame';

type TypingHandler = (frame: InboundFrame<'typing'>, receiverId: number) => Promise<void>;

/** An event has one gateway; `typing` to a friend is handed on to who knows of friends. */
@Injectable()
export class TypingToFriends {
  private handler: TypingHandler = async () => undefined;

  handleWith(handler: TypingHandler): void {
    this.handler = handler;
  }

  type(frame: InboundFrame<'typing'>, receiverId: number): Promise<void> {
    return this.handler(frame, receiverId);
  }
}
