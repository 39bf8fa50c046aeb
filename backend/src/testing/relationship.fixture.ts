import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import type { TestReplica } from './test-stack.harness';
import type { ThawVisitor } from './thaw.client';

const toParticipant = ({ user: { id, username, avatar } }: ThawVisitor) => ({ id, username, avatar });

/** Writes the start of a random chat of two users to the event store. @param agoMs how long ago the chat started */
export const recordPastChat = async (
  { app }: Pick<TestReplica, 'app'>,
  ada: ThawVisitor,
  bob: ThawVisitor,
  agoMs = 0,
): Promise<void> => {
  // `none`: the stream must not exist yet.
  await app.get(EventStoreRepository).append(`chat-${randomUUID()}`, 'none', [
    {
      eventId: randomUUID(),
      type: 'ChatStarted',
      occurredAt: new Date(Date.now() - agoMs),
      data: { userIds: [ada.user.id, bob.user.id], participants: [toParticipant(ada), toParticipant(bob)] },
    },
  ]);
};

/** Makes two users friends: records a chat, which friend requests require, and sends a request in each direction. */
export const makeFriends = async (replica: Pick<TestReplica, 'app'>, ada: ThawVisitor, bob: ThawVisitor) => {
  await recordPastChat(replica, ada, bob);
  for (const [from, to] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    const { status } = await from.call('POST', '/api/friends/request', {
      requesterId: from.user.id,
      addresseeId: to.user.id,
    });
    if (status >= 300) throw new Error(`A friend request was answered with ${status}`);
  }
};
