import { DomainError } from '../../../platform/errors/domain.errors';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import type { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import type { PrivateChatService } from './private-chat.service';
import { PrivateTypingService } from './private-typing.service';

const userId = 1;
const friendId = 2;
const strangerId = 3;

describe('PrivateTypingService', () => {
  let checkedIds: number[];
  let notifiedIds: number[];
  let typing: PrivateTypingService;

  beforeEach(() => {
    jest.useFakeTimers();
    [checkedIds, notifiedIds] = [[], []];
    const chat = {
      requireFriends: async (_: number, otherId: number) => {
        checkedIds.push(otherId);
        if (otherId === strangerId) throw new DomainError('not_friends');
      },
    };
    const userPublisher = { sendFrame: async (receiverId: number) => void notifiedIds.push(receiverId) };
    typing = new PrivateTypingService(
      chat as unknown as PrivateChatService,
      userPublisher as unknown as UserPublisherService,
    );
  });
  afterEach(() => jest.useRealTimers());

  const connection = {};
  const publishTyping = (receiverId: number) =>
    typing.publishTyping({
      frame: { connection, userId },
      receiverId,
    } as ProcessEventMap['TypedToFriend']);
  /** Publishes a typing frame every half second. */
  const typeFor = async (seconds: number) => {
    for (let halfSeconds = 0; halfSeconds < 2 * seconds; halfSeconds += 1) {
      await publishTyping(friendId);
      jest.advanceTimersByTime(500);
    }
  };

  it('publishes once a second and checks the friendship once in ten seconds', async () => {
    await typeFor(20);
    expect(notifiedIds).toHaveLength(20);
    expect(checkedIds).toEqual([friendId, friendId]);
  });

  it('checks again when the receiver changes', async () => {
    await publishTyping(friendId);
    jest.advanceTimersByTime(1_000);
    await expect(publishTyping(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(checkedIds).toEqual([friendId, strangerId]);
    expect(notifiedIds).toEqual([friendId]);
  });

  it('checks at most once a second for strangers, and never publishes to them', async () => {
    await expect(publishTyping(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    await publishTyping(strangerId); // dropped without a check
    jest.advanceTimersByTime(1_000);
    await expect(publishTyping(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(checkedIds).toHaveLength(2);
    expect(notifiedIds).toEqual([]);
  });
});
