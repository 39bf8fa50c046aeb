import { randomUUID } from 'node:crypto';
import type { Random } from '../random';
import type { SimulatedUser } from './simulated-user';

const MAX_FRIENDS = 4;

/** Simulates the actions of a user outside random chats: making friends and writing private messages. */
export class FriendBehaviour {
  private privateMessageCount = 0;

  constructor(
    private readonly user: SimulatedUser,
    private readonly random: Random,
  ) {}

  /** Sends a friend request to the current partner, unless the two are friends or the user has `MAX_FRIENDS`. */
  async befriendPartner(): Promise<void> {
    const { currentChat, log } = this.user.recorder;
    const partnerId = currentChat?.partnerId;
    if (partnerId === undefined || log.friends.has(partnerId) || log.friends.size >= MAX_FRIENDS) return;
    await this.sendRequest(partnerId);
  }

  /** Sends a friend request. If the other user has sent one before, the two become friends. */
  async sendRequest(addresseeId: number): Promise<void> {
    const { user } = this;
    const response = await user.call('POST', '/api/friends/request', { requesterId: user.id, addresseeId });
    if (!response) return;
    const { status, code } = response.body as { status?: string; code?: string };
    // `already_friends`: the other user's request, or an earlier attempt of this call, has made the two friends.
    const areFriends = status === 'accepted' || code === 'already_friends';
    if (!areFriends) return;
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
    this.privateMessageCount += 1;
    const message = {
      senderId: user.id,
      receiverId,
      content: `private ${user.id} ${receiverId} ${this.privateMessageCount}`,
      clientId,
    };
    await user.sendCommand(
      'send_private_message',
      { ...message, messageType: 'text' },
      ({ id }) => log.privateAcks.push({ ...message, id: Number(id), ackedAt: Date.now() }),
      () => !user.isStopping, // without an ack, the message is sent again as long as this holds
    );
  }
}
