import { type ServerData } from '@thaw/contract/server-frames';
import {
  me,
  partner,
  receivedAtMs,
  type ChatDriver,
  formatIsoAtOffset,
  createChatMatchedData,
  driveToActive,
  createMessageData,
  createSessionResumedData,
} from '@/testing/random-chat-driver';

// `session_resumed` contains stored events, in one or several frames; the last one has `last: true`. Normally, these
// are the events that the page has missed. With a reset, the server has lost events that the page shows, and sends all
// events that it still has. `driveToActive` opens the chat s1, whose match has the `seq` 1.

/** The texts of the chat without the welcome notice, which is always the first. */
const listTexts = ({ texts }: ChatDriver): string[] => texts.slice(1);

/** The id that `createMessageData` gives the message with `seq` 2. */
const ownMessageId = `${receivedAtMs}-2`;

/** The user has sent the message `ownMessageId` and edited it. The server has not answered the edit. */
const driveToUnansweredEdit = (): ChatDriver =>
  driveToActive()
    .receive('random_message', createMessageData(2, 'mine', { senderId: me }))
    .dispatch({ type: 'editSaved', changeId: 'e1', messageId: ownMessageId, newContent: 'better', me });

describe('a resume with a reset', () => {
  /** The page shows a message with `seq` 2, which the server still has, and one with `seq` 3, which it has lost. */
  const driveToLostMessage = (): ChatDriver =>
    driveToActive()
      .receive('random_message', createMessageData(2, 'kept'))
      .receive('random_message', createMessageData(3, 'lost'));

  /** By default, the server has the message with `seq` 2 only. */
  const createResetData = (
    changes: Partial<ServerData<'session_resumed'>> = {},
  ): ServerData<'session_resumed'> =>
    createSessionResumedData({
      reset: true,
      seq: 2,
      events: [
        { event: 'chat_matched', data: createChatMatchedData() },
        { event: 'random_message', data: createMessageData(2, 'kept') },
      ],
      ...changes,
    });

  it('replaces the messages on the screen, and later frames continue from its seq', () => {
    const chat = driveToLostMessage().receive('session_resumed', createResetData());
    expect(listTexts(chat)).toEqual(['kept']);
    expect(chat.state.session?.seq).toBe(2);
    chat.receive('random_message', createMessageData(3, 'next'));
    expect(listTexts(chat)).toEqual(['kept', 'next']);
    expect(chat.effects).toEqual([]);
  });

  it('removes the messages on the screen only at the first of several frames', () => {
    const chat = driveToLostMessage().receive('session_resumed', createResetData({ last: false }));
    // Only the first frame has `reset: true`.
    const lastFrame = {
      seq: 3,
      events: [{ event: 'random_message', data: createMessageData(3, 'also kept') }],
    };
    chat.receive('session_resumed', createSessionResumedData(lastFrame));
    expect(listTexts(chat)).toEqual(['kept', 'also kept']);
  });

  it('resends unacknowledged messages, and returns the text of an unconfirmed edit to the composer', () => {
    const chat = driveToUnansweredEdit().receive('session_resumed', createResetData());
    expect(chat.effects).toEqual([
      { type: 'returnEditToComposer', sessionId: 's1', messageId: ownMessageId, newContent: 'better' },
      { type: 'resendMessages', sessionId: 's1' },
    ]);
    // The edit is no longer shown.
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('does not return the text of an edit when the chat has ended, because it has no composer any more', () => {
    const chatSkipped = { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: partner.id };
    const chat = driveToUnansweredEdit().receive(
      'session_resumed',
      createResetData({ seq: 3, events: [{ event: 'chat_skipped', data: chatSkipped }] }),
    );
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped' });
    expect(chat.effects).toEqual([]);
  });
});

describe('a resume without a reset', () => {
  it('adds missed messages from several frames, without duplicates', () => {
    const chat = driveToActive().receive('random_message', createMessageData(2, 'two'));
    chat.receive(
      'session_resumed',
      createSessionResumedData({
        seq: 3,
        last: false,
        events: [
          { event: 'random_message', data: createMessageData(2, 'two') },
          { event: 'random_message', data: createMessageData(3, 'three') },
        ],
      }),
    );
    chat.receive(
      'session_resumed',
      createSessionResumedData({
        seq: 4,
        events: [{ event: 'random_message', data: createMessageData(4, 'four') }],
      }),
    );
    expect(listTexts(chat)).toEqual(['two', 'three', 'four']);
  });

  it('resends unacknowledged messages after the last frame', () => {
    const chat = driveToActive().receive('session_resumed', createSessionResumedData({ last: false }));
    expect(chat.effects).toEqual([]);
    chat.receive('session_resumed', createSessionResumedData());
    expect(chat.effects).toEqual([{ type: 'resendMessages', sessionId: 's1' }]);
  });

  it('resends unanswered edits and reactions, and still shows them', () => {
    const chat = driveToUnansweredEdit().dispatch({
      type: 'reactionToggled',
      changeId: 'r1',
      messageId: ownMessageId,
      emoji: '👍',
      me,
    });
    chat.receive('session_resumed', createSessionResumedData({ seq: 2 }));
    expect(chat.effects).toMatchObject([
      { type: 'resendMessages' },
      {
        type: 'edit',
        changeId: 'e1',
        data: { messageId: ownMessageId, newContent: 'better', userId: me },
      },
      { type: 'react', changeId: 'r1', data: { emoji: '👍', action: 'add', userId: me } },
    ]);
    expect(chat.texts.at(-1)).toBe('better');
  });

  it('ignores events of an unknown type, but counts their seq', () => {
    const chat = driveToActive().receive(
      'session_resumed',
      createSessionResumedData({ seq: 5, events: [{ event: 'from_the_future', data: { seq: 5 } }] }),
    );
    expect(listTexts(chat)).toEqual([]);
    expect(chat.state.session?.seq).toBe(5);
  });

  it('replaces the chat on the screen when the server resumes another one', () => {
    const chat = driveToActive().receive(
      'session_resumed',
      createSessionResumedData({ sessionId: 's2', seq: 1 }),
    );
    expect(chat.state.session?.sessionId).toBe('s2');
    expect(chat.texts).toEqual([`🎉 You are now chatting with ${partner.username}. Say hi!`]);
  });
});

describe('an authentication during a chat', () => {
  it('closes the chat, and then shows the search, if the user has skipped and searches in another tab', () => {
    const chat = driveToActive().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.state.phase).toBe('initial');
    chat.receive('queue_joined', { preferences: 'both', since: formatIsoAtOffset() });
    expect(chat.state.phase).toBe('searching');
  });
});
