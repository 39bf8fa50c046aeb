import { type ServerData } from '@thaw/contract/server-frames';
import {
  me,
  partner,
  receivedAtMs,
  type ChatDriver,
  formatIso,
  createChatMatched,
  driveToActive,
  createMessageData,
  createSessionResumed,
} from '@/testing/random-chat-driver';

/** The texts of the chat without the welcome notice, which is always the first. */
const listTexts = ({ texts }: ChatDriver): string[] => texts.slice(1);

/** The id that `createMessageData` gives the message with `seq` 2. */
const ownMessageId = `${receivedAtMs}-2`;

describe('a resume with a reset', () => {
  const createReset = (changes: Partial<ServerData<'session_resumed'>> = {}): ServerData<'session_resumed'> =>
    createSessionResumed({
      reset: true,
      seq: 2,
      events: [
        { event: 'chat_matched', data: createChatMatched() },
        { event: 'random_message', data: createMessageData(2, 'kept') },
      ],
      ...changes,
    });

  it('replaces the messages on the screen, and later frames continue from its version', () => {
    const chat = driveToActive()
      .receive('random_message', createMessageData(2, 'kept'))
      .receive('random_message', createMessageData(3, 'lost'));
    chat.receive('session_resumed', createReset());
    expect(listTexts(chat)).toEqual(['kept']);
    expect(chat.state.session?.seq).toBe(2);
    chat.receive('random_message', createMessageData(3, 'next'));
    expect(listTexts(chat)).toEqual(['kept', 'next']);
    expect(chat.effects).toEqual([]);
  });

  it('removes the messages on the screen only at the first of several frames', () => {
    const chat = driveToActive()
      .receive('random_message', createMessageData(2, 'kept'))
      .receive('random_message', createMessageData(3, 'lost'));
    chat.receive('session_resumed', createReset({ last: false }));
    const lastFrame = {
      seq: 3,
      events: [{ event: 'random_message', data: createMessageData(3, 'also kept') }],
    };
    chat.receive('session_resumed', createSessionResumed(lastFrame));
    expect(listTexts(chat)).toEqual(['kept', 'also kept']);
  });

  it("sends the user's unacknowledged messages again, and returns the text of an unanswered edit", () => {
    const chat = driveToActive().receive('random_message', createMessageData(2, 'mine', { senderId: me }));
    chat.dispatch({
      type: 'editSaved',
      changeId: 'e1',
      messageId: ownMessageId,
      newContent: 'better',
      me,
    });
    chat.receive('session_resumed', createReset());
    expect(chat.effects).toEqual([
      { type: 'keepUnsavedEdit', sessionId: 's1', messageId: ownMessageId, newContent: 'better' },
      { type: 'resendMessages', sessionId: 's1' },
    ]);
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('does not return the text of an edit when the chat has ended, because its composer is closed', () => {
    const chat = driveToActive().receive('random_message', createMessageData(2, 'mine', { senderId: me }));
    chat.dispatch({
      type: 'editSaved',
      changeId: 'e1',
      messageId: ownMessageId,
      newContent: 'better',
      me,
    });
    const chatSkipped = { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: partner.id };
    chat.receive(
      'session_resumed',
      createReset({ seq: 3, events: [{ event: 'chat_skipped', data: chatSkipped }] }),
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
      createSessionResumed({
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
      createSessionResumed({
        seq: 4,
        events: [{ event: 'random_message', data: createMessageData(4, 'four') }],
      }),
    );
    expect(listTexts(chat)).toEqual(['two', 'three', 'four']);
  });

  it("sends the user's unacknowledged messages again after the last frame", () => {
    const chat = driveToActive().receive('session_resumed', createSessionResumed({ last: false }));
    expect(chat.effects).toEqual([]);
    chat.receive('session_resumed', createSessionResumed());
    expect(chat.effects).toEqual([{ type: 'resendMessages', sessionId: 's1' }]);
  });

  it('sends unanswered edits and reactions again, and still shows them', () => {
    const chat = driveToActive()
      .receive('random_message', createMessageData(2, 'mine', { senderId: me }))
      .dispatch({
        type: 'editSaved',
        changeId: 'e1',
        messageId: ownMessageId,
        newContent: 'better',
        me,
      })
      .dispatch({ type: 'reactionToggled', changeId: 'r1', messageId: ownMessageId, emoji: '👍', me });
    chat.receive('session_resumed', createSessionResumed({ seq: 2 }));
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

  it('skips unknown events and counts their seq', () => {
    const chat = driveToActive().receive(
      'session_resumed',
      createSessionResumed({ seq: 5, events: [{ event: 'from_the_future', data: { seq: 5 } }] }),
    );
    expect(chat.state.session?.seq).toBe(5);
  });

  it('replaces the chat on the screen when the server resumes another one', () => {
    const chat = driveToActive().receive(
      'session_resumed',
      createSessionResumed({ sessionId: 's2', seq: 1 }),
    );
    expect(chat.state.session?.sessionId).toBe('s2');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
  });
});

describe('an authentication during a chat', () => {
  it('leads to initial, then to searching, when another tab has left the chat and searches again', () => {
    const chat = driveToActive().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.state.phase).toBe('initial');
    chat.receive('queue_joined', { preferences: 'both', since: formatIso() });
    expect(chat.state.phase).toBe('searching');
  });
});
