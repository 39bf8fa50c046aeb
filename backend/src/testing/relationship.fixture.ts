import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import type { TestReplica } from './test-stack.harness';
import type { ThawVisitor } from './thaw.client';

const toParticipant = ({ user: { id, username, avatar } }: ThawVisitor) => ({ id, username, avatar });

/** Records that two users have chatted, at a given age, as if their chat had been persisted. */
export const recordPastChat = async (
  { app }: Pick<TestReplica, 'app'>,
  ada: ThawVisitor,
  bob: ThawVisitor,
  agoMs = 0,
): Promise<void> => {
  await app.get(EventStoreRepository).append(`chat-${randomUUID()}`, 'none', [
    {
      eventId: randomUUID(),
      type: 'ChatStarted',
      occurredAt: new Date(Date.now() - agoMs),
      data: { userIds: [ada.user.id, bob.user.id], participants: [toParticipant(ada), toParticipant(bob)] },
    },
  ]);
};

/** Makes two users friends: they have chatted, and each sends the other a request. */
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
    if (status >= 300) throw new Error(`A friend request answered ${status}`);
  }
};
