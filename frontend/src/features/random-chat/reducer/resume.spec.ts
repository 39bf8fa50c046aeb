import { type ServerData } from '@thaw/contract/server-frames';
import {
  me,
  partner,
  receivedAtMs,
  formatIso,
  createChatMatched,
  driveToActive,
  createPartnerMessage,
  createSessionResumed,
} from '@/testing/random-chat-driver';

describe('a resume with a reset', () => {
  const reset = (changes: Partial<ServerData<'session_resumed'>> = {}): ServerData<'session_resumed'> =>
    createSessionResumed({
      reset: true,
      seq: 2,
      events: [
        { event: 'chat_matched', data: createChatMatched() },
        { event: 'random_message', data: createPartnerMessage(2, 'kept') },
      ],
      ...changes,
    });

  it('replaces what was shown, and continues from there', () => {
    const chat = driveToActive()
      .receive('random_message', createPartnerMessage(2, 'kept'))
      .receive('random_message', createPartnerMessage(3, 'lost'));
    chat.receive('session_resumed', reset());
    expect(chat.texts.slice(1)).toEqual(['kept']);
    expect(chat.state.session?.seq).toBe(2);
    chat.receive('random_message', createPartnerMessage(3, 'next'));
    expect(chat.texts.slice(1)).toEqual(['kept', 'next']);
    expect(chat.effects).toEqual([]);
  });

  it('replaces what was shown only with the first of several frames', () => {
    const chat = driveToActive()
      .receive('random_message', createPartnerMessage(2, 'kept'))
      .receive('random_message', createPartnerMessage(3, 'lost'));
    chat.receive('session_resumed', reset({ last: false }));
    const more = {
      seq: 3,
      events: [{ event: 'random_message', data: createPartnerMessage(3, 'also kept') }],
    };
    chat.receive('session_resumed', createSessionResumed(more));
    expect(chat.texts.slice(1)).toEqual(['kept', 'also kept']);
  });

  it("sends the user's unacknowledged messages again, and returns the text of an unanswered edit", () => {
    const chat = driveToActive().receive('random_message', createPartnerMessage(2, 'mine', { senderId: me }));
    chat.dispatch({
      type: 'editSaved',
      changeId: 'e1',
      messageId: `${receivedAtMs}-2`,
      newContent: 'better',
      me,
    });
    chat.receive('session_resumed', reset());
    expect(chat.effects).toEqual([
      { type: 'keepUnsavedEdit', sessionId: 's1', messageId: `${receivedAtMs}-2`, newContent: 'better' },
      { type: 'resendMessages', sessionId: 's1' },
    ]);
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('does not return the text of an edit when the chat has ended, because its composer is closed (A56)', () => {
    const chat = driveToActive().receive('random_message', createPartnerMessage(2, 'mine', { senderId: me }));
    chat.dispatch({
      type: 'editSaved',
      changeId: 'e1',
      messageId: `${receivedAtMs}-2`,
      newContent: 'better',
      me,
    });
    const chatSkipped = { sessionId: 's1', seq: 3, reason: 'skipped', endedBy: partner.id };
    chat.receive(
      'session_resumed',
      reset({ seq: 3, events: [{ event: 'chat_skipped', data: chatSkipped }] }),
    );
    expect(chat.state).toMatchObject({ phase: 'skipped', endReason: 'skipped' });
    expect(chat.effects).toEqual([]);
  });
});

describe('resuming', () => {
  it('adds missed messages from several frames, without duplicates', () => {
    const chat = driveToActive().receive('random_message', createPartnerMessage(2, 'two'));
    chat.receive(
      'session_resumed',
      createSessionResumed({
        seq: 3,
        last: false,
        events: [
          { event: 'random_message', data: createPartnerMessage(2, 'two') },
          { event: 'random_message', data: createPartnerMessage(3, 'three') },
        ],
      }),
    );
    chat.receive(
      'session_resumed',
      createSessionResumed({
        seq: 4,
        events: [{ event: 'random_message', data: createPartnerMessage(4, 'four') }],
      }),
    );
    expect(chat.texts.slice(1)).toEqual(['two', 'three', 'four']);
  });

  it("sends the user's unacknowledged messages again after the last frame", () => {
    const chat = driveToActive().receive('session_resumed', createSessionResumed({ last: false }));
    expect(chat.effects).toEqual([]);
    chat.receive('session_resumed', createSessionResumed());
    expect(chat.effects).toEqual([{ type: 'resendMessages', sessionId: 's1' }]);
  });

  it('sends unanswered edits and reactions again, and still shows them', () => {
    const chat = driveToActive()
      .receive('random_message', createPartnerMessage(2, 'mine', { senderId: me }))
      .dispatch({
        type: 'editSaved',
        changeId: 'e1',
        messageId: `${receivedAtMs}-2`,
        newContent: 'better',
        me,
      })
      .dispatch({ type: 'reactionToggled', changeId: 'r1', messageId: `${receivedAtMs}-2`, emoji: '👍', me });
    chat.receive('session_resumed', createSessionResumed({ seq: 2 }));
    expect(chat.effects).toMatchObject([
      { type: 'resendMessages' },
      {
        type: 'edit',
        changeId: 'e1',
        data: { messageId: `${receivedAtMs}-2`, newContent: 'better', userId: me },
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

  it("replaces the chat with the server's", () => {
    const chat = driveToActive().receive(
      'session_resumed',
      createSessionResumed({ sessionId: 's2', seq: 1 }),
    );
    expect(chat.state.session?.sessionId).toBe('s2');
    expect(chat.texts).toEqual(['🎉 You are now chatting with brave-heron-7. Say hi!']);
  });

  it('returns to initial when the chat was left in another tab, which is searching again', () => {
    const chat = driveToActive().receive('authenticated', { userId: me, state: 'searching' });
    expect(chat.state.phase).toBe('initial');
    chat.receive('queue_joined', { preferences: 'both', since: formatIso() });
    expect(chat.state.phase).toBe('searching');
  });
});
