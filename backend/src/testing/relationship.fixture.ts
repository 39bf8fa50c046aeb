import { randomUUID } from 'node:crypto';
import { EventStoreRepository } from '../platform/event-store/event-store.repository';
import type { TestReplica } from './test-replicas.harness';
import type { ThawVisitor } from './thaw.client';

const toParticipant = ({ user: { id, username, avatar } }: ThawVisitor) => ({ id, username, avatar });

/** Two have met, so long ago, as if a chat of theirs had been persisted. */
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

/** Two become friends: they have met, and each asks the other. */
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
