import type { Random } from '../random';
import type { Person } from './person';

const FRIENDS = 4;

/** Simulates users outside chats: they make friends and write private messages. */
export class FriendLife {
  private written = 0;

  constructor(
    private readonly person: Person,
    private readonly random: Random,
  ) {}

  /** Sends a friend request to the current partner. Mutual requests make a friendship. */
  async befriendPartner(): Promise<void> {
    const { journal } = this.person;
    const partnerId = journal.current?.partnerId;
    if (partnerId === undefined || journal.log.friends.has(partnerId)) return;
    if (journal.log.friends.size >= FRIENDS) return;
    await this.ask(partnerId);
  }

  /** Accepts a friend request by sending one back. */
  async ask(addresseeId: number): Promise<void> {
    const { person } = this;
    const answer = await person.call('POST', '/api/friends/request', { requesterId: person.id, addresseeId });
    if (!answer) return;
    const { status, code } = answer.body as { status?: string; code?: string };
    if (status !== 'accepted' && code !== 'already_friends') return;
    person.journal.log.friends.add(addresseeId);
    person.count(person.acknowledged, 'friendship');
  }

  async write(): Promise<void> {
    const { person } = this;
    const { log } = person.journal;
    if (log.friends.size === 0) return;
    const receiverId = this.random.pick([...log.friends]);
    const clientId = person.newId();
    this.written += 1;
    const content = `private ${person.id} ${receiverId} ${this.written}`;
    await person.command(
      'send_private_message',
      { senderId: person.id, receiverId, content, messageType: 'text', clientId },
      ({ id }) =>
        log.privateAcks.push({
          id: Number(id),
          clientId,
          senderId: person.id,
          receiverId,
          content,
          at: Date.now(),
        }),
      () => !person.isStopping,
    );
  }
}
