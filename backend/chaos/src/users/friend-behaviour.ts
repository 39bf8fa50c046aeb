import { randomUUID } from 'node:crypto';
import type { Random } from '../random';
import type { SimulatedUser } from './simulated-user';

const MAX_FRIENDS = 4;

/** Simulates the actions of a user outside random chats: making friends and writing private messages. */
export class FriendBehaviour {
  private writtenCount = 0;

  constructor(
    private readonly user: SimulatedUser,
    private readonly random: Random,
  ) {}

  /** Sends a friend request to the current partner, unless they are friends or the user has enough friends. */
  async befriendPartner(): Promise<void> {
    const { recorder } = this.user;
    const partnerId = recorder.currentChat?.partnerId;
    if (partnerId === undefined || recorder.log.friends.has(partnerId)) return;
    if (recorder.log.friends.size >= MAX_FRIENDS) return;
    await this.sendRequest(partnerId);
  }

  /** Sends a friend request. If the other user has sent one before, the two become friends. */
  async sendRequest(addresseeId: number): Promise<void> {
    const { user } = this;
    const response = await user.call('POST', '/api/friends/request', { requesterId: user.id, addresseeId });
    if (!response) return;
    const { status, code } = response.body as { status?: string; code?: string };
    // With `already_friends`, another request has made the two friends.
    if (status !== 'accepted' && code !== 'already_friends') return;
    user.recorder.log.friends.add(addresseeId);
    user.countAcknowledged('friendship');
  }

  /** Sends a private message to a random friend, and records its ack. */
  async writePrivateMessage(): Promise<void> {
    const { user } = this;
    const { log } = user.recorder;
    if (log.friends.size === 0) return;
    const receiverId = this.random.pick([...log.friends]);
    const clientId = randomUUID();
    this.writtenCount += 1;
    const content = `private ${user.id} ${receiverId} ${this.writtenCount}`;
    await user.sendCommand(
      'send_private_message',
      { senderId: user.id, receiverId, content, messageType: 'text', clientId },
      ({ id }) =>
        log.privateAcks.push({
          id: Number(id),
          clientId,
          senderId: user.id,
          receiverId,
          content,
          ackedAt: Date.now(),
        }),
      () => !user.isStopping, // a command without an ack is repeated as long as this holds
    );
  }
}
