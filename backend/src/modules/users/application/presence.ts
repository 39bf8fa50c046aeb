import { Injectable } from '@nestjs/common';

/** Whether the viewer may know that the other is online, and he is. */
export type PresenceSource = (viewerId: number, userId: number) => Promise<boolean>;

/** Who sees whom online. Nobody sees anybody until a source is given. */
@Injectable()
export class Presence {
  private source: PresenceSource = async () => false;

  answerWith(source: PresenceSource): void {
    this.source = source;
  }

  isOnline(viewerId: number, userId: number): Promise<boolean> {
    return viewerId === userId ? Promise.resolve(true) : this.source(viewerId, userId);
  }
}
