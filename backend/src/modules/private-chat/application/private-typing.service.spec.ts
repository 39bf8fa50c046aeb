import { DomainError } from '../../../platform/errors/domain.errors';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import type { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import type { PrivateChatService } from './private-chat.service';
import { PrivateTypingService } from './private-typing.service';

const userId = 1;
const friendId = 2;
const strangerId = 3;

describe('PrivateTypingService', () => {
  /** The receivers of the published typing frames. */
  let publishedToIds: number[];
  /** The users whose friendship with the user was checked. */
  let checkedIds: number[];
  let service: PrivateTypingService;

  beforeEach(() => {
    jest.useFakeTimers();
    publishedToIds = [];
    checkedIds = [];
    const chat = {
      requireFriends: async (_: number, otherId: number) => {
        checkedIds.push(otherId);
        if (otherId === strangerId) throw new DomainError('not_friends');
      },
    };
    const userPublisher = { sendFrame: async (receiverId: number) => void publishedToIds.push(receiverId) };
    service = new PrivateTypingService(
      chat as unknown as PrivateChatService,
      userPublisher as unknown as UserPublisherService,
    );
  });
  afterEach(() => jest.useRealTimers());

  /** Identifies the user's socket. */
  const connection = {};
  const typeTo = (receiverId: number) =>
    service.publishTyping({
      frame: { connection, userId },
      receiverId,
    } as ProcessEventMap['TypedToFriend']);
  /** The socket sends a typing frame to the friend every half second. */
  const typeToFriendFor = async (seconds: number) => {
    for (let halfSeconds = 0; halfSeconds < 2 * seconds; halfSeconds += 1) {
      await typeTo(friendId);
      jest.advanceTimersByTime(500);
    }
  };

  it('publishes typing to a friend once a second', async () => {
    await typeToFriendFor(20);
    expect(publishedToIds).toHaveLength(20);
  });

  it('checks a friendship once in ten seconds', async () => {
    await typeToFriendFor(20);
    expect(checkedIds).toEqual([friendId, friendId]);
  });

  it('checks the friendship again when the receiver changes', async () => {
    await typeTo(friendId);
    jest.advanceTimersByTime(1_000);
    await expect(typeTo(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(checkedIds).toEqual([friendId, strangerId]);
    expect(publishedToIds).toEqual([friendId]);
  });

  it('checks the friendship with a stranger at most once a second, and never publishes to strangers', async () => {
    await expect(typeTo(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    await typeTo(strangerId); // ignored, without a check
    jest.advanceTimersByTime(1_000);
    await expect(typeTo(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(checkedIds).toHaveLength(2);
    expect(publishedToIds).toEqual([]);
  });
});
