import { DomainError } from '../../../platform/errors/domain.errors';
import type { ProcessEventMap } from '../../../platform/process-events/process-event-map.types';
import type { UserPublisherService } from '../../../platform/realtime/user-publisher.service';
import type { PrivateChatService } from './private-chat.service';
import { PrivateTypingService } from './private-typing.service';

const friendId = 2;
const strangerId = 3;

describe('PrivateTypingService', () => {
  let asked: number[];
  let published: number[];
  let typing: PrivateTypingService;

  beforeEach(() => {
    jest.useFakeTimers();
    [asked, published] = [[], []];
    const chat = {
      requireFriends: async (_: number, otherId: number) => {
        asked.push(otherId);
        if (otherId === strangerId) throw new DomainError('not_friends');
      },
    };
    const channels = { sendFrame: async (userId: number) => void published.push(userId) };
    typing = new PrivateTypingService(
      chat as unknown as PrivateChatService,
      channels as unknown as UserPublisherService,
    );
  });
  afterEach(() => jest.useRealTimers());

  const connection = {};
  const type = (receiverId: number) =>
    typing.publishTyping({
      frame: { connection, userId: 1 },
      receiverId,
    } as ProcessEventMap['TypedToFriend']);
  /** Types twice a second. */
  const typeFor = async (seconds: number) => {
    for (let half = 0; half < 2 * seconds; half += 1) {
      await type(friendId);
      jest.advanceTimersByTime(500);
    }
  };

  it('publishes once a second and checks the friendship once in ten seconds', async () => {
    await typeFor(20);
    expect(published).toHaveLength(20);
    expect(asked).toEqual([friendId, friendId]);
  });

  it('checks again when the user types to another friend', async () => {
    await type(friendId);
    jest.advanceTimersByTime(1_000);
    await expect(type(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(asked).toEqual([friendId, strangerId]);
    expect(published).toEqual([friendId]);
  });

  it('checks at most once a second for strangers, and never publishes to them', async () => {
    await expect(type(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    await type(strangerId);
    jest.advanceTimersByTime(1_000);
    await expect(type(strangerId)).rejects.toMatchObject({ code: 'not_friends' });
    expect(asked).toHaveLength(2);
    expect(published).toEqual([]);
  });
});
