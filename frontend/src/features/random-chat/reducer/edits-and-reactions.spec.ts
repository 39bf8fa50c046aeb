import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { findReactionTarget } from '@/features/random-chat/reducer/stored-events';
import { aMessage } from '@/testing/factories';
import {
  receivedAtMs,
  ChatDriver,
  createChatMatched,
  me,
  partner,
  createPartnerMessage,
} from '@/testing/random-chat-driver';

const sessionId = 's1';

/** A chat in which the user and the partner have each sent a message. */
class Chat extends ChatDriver {
  constructor() {
    super();
    this.dispatch({ type: 'findPressed', nowMs: receivedAtMs }).receive('chat_matched', createChatMatched());
    this.receiveMessage(2, 'mine', me).receiveMessage(3, 'theirs', partner.id);
  }

  receiveMessage(seq: number, content: string, senderId: number, type: 'text' | 'mixed' = 'text'): this {
    return this.receive('random_message', createPartnerMessage(seq, content, { senderId, type }));
  }

  react(changeId: string, seq: number, emoji = '👍'): this {
    return this.dispatch({
      type: 'reactionToggled',
      changeId,
      messageId: `${receivedAtMs}-${seq}`,
      emoji,
      me,
    });
  }

  edit(changeId: string, seq: number, newContent: string): this {
    return this.dispatch({
      type: 'editSaved',
      changeId,
      messageId: `${receivedAtMs}-${seq}`,
      newContent,
      me,
    });
  }

  fail(changeId: string, seq: number): this {
    return this.dispatch({ type: 'changeFailed', sessionId, changeId, messageId: `${receivedAtMs}-${seq}` });
  }

  findMessage(seq: number): ChatMessage | undefined {
    return this.state.session?.messages.find(({ id }) => id === `${receivedAtMs}-${seq}`);
  }
}

const createReactionFrame = (
  seq: number,
  users: number[],
  of = 3,
): Extract<ServerFrame, { event: 'message_reaction' }> => ({
  event: 'message_reaction',
  data: {
    sessionId,
    seq,
    messageId: `${receivedAtMs}-${of}`,
    emoji: '👍',
    action: 'add',
    userId: partner.id,
    reactions: users.length === 0 ? {} : { '👍': { count: users.length, users } },
  },
});

describe('a reaction', () => {
  it('is shown at once, sent, and confirmed by its ack', () => {
    const chat = new Chat().react('r1', 3);
    expect(chat.findMessage(3)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.effects).toMatchObject([{ type: 'react', data: { emoji: '👍', action: 'add', userId: me } }]);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: `${receivedAtMs}-3`,
      frame: createReactionFrame(4, [me]),
      me,
    });
    expect(chat.findMessage(3)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.state.session).toMatchObject({ seq: 4, unconfirmedMessages: {} });
  });

  it('is removed by the second click, together with an entry that has no users left', () => {
    const chat = new Chat().receiveFrame(createReactionFrame(4, [me])).react('r1', 3);
    expect(chat.findMessage(3)?.reactions).toEqual({});
    expect(chat.effects).toMatchObject([{ data: { action: 'remove' } }]);
  });

  it("is undone when refused, and the partner's reaction in the meantime stays", () => {
    const chat = new Chat().react('r1', 3).receiveFrame(createReactionFrame(4, [partner.id]));
    expect(chat.findMessage(3)?.reactions['👍']).toEqual({ count: 2, users: [partner.id, me] });
    chat.fail('r1', 3);
    expect(chat.findMessage(3)?.reactions['👍']).toEqual({ count: 1, users: [partner.id] });
  });

  it('is unchanged after two toggles that are both refused', () => {
    const chat = new Chat().react('r1', 3).react('r2', 3).fail('r1', 3).fail('r2', 3);
    expect(chat.findMessage(3)?.reactions).toEqual({});
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('ignores U+FE0F when comparing emojis, and accepts only the ten allowed ones', () => {
    expect(new Chat().react('r1', 3, '❤').findMessage(3)?.reactions).toHaveProperty('❤️');
    expect(new Chat().react('r1', 3, '🦊').effects).toEqual([]);
  });

  it('may be one of several, but not on a notice (A112)', () => {
    const chat = new Chat().react('r1', 3).react('r2', 3, '🔥');
    expect(Object.keys(chat.findMessage(3)?.reactions ?? {})).toEqual(['👍', '🔥']);
    const welcome = `welcome-${sessionId}`;
    chat.dispatch({ type: 'reactionToggled', changeId: 'r3', messageId: welcome, emoji: '👍', me });
    expect(chat.effects).toEqual([]);
  });

  it('requests missing events when its ack is ahead, and is shown nevertheless', () => {
    const chat = new Chat().react('r1', 3);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: `${receivedAtMs}-3`,
      frame: createReactionFrame(6, [me]),
      me,
    });
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.findMessage(3)?.reactions['👍']?.users).toEqual([me]);
    expect(chat.state.session?.seq).toBe(3);
  });
});

describe('the message that a reaction refers to (A86)', () => {
  const messages = [
    aMessage({ id: '1000000-0' }),
    aMessage({ id: '1000400-0' }),
    aMessage({ id: 'welcome-s1', senderId: 0 }),
  ];

  it.each([
    ['the id of the first message', '1000000-0', '1000000-0'],
    ['the id of the second message', '1000400-0', '1000400-0'],
    ['an id 1 ms after a message', '1000401-7', '1000400-0'],
    ['an id without a sequence number, between two messages', '1000150', '1000000-0'],
    ['an id 999 ms after a message', '1001399-0', '1000400-0'],
    ['an id a whole second after a message', '1001400-0', undefined],
    ['an id without a time', 'welcome', undefined],
  ])('for %s (%s) is %s', (_what, messageId, expectedId) => {
    expect(findReactionTarget(messages, messageId)?.id).toBe(expectedId);
  });
});

describe('an edit', () => {
  it('is shown at once, marked as edited, and undone when refused', () => {
    const chat = new Chat().edit('e1', 2, 'better');
    expect(chat.findMessage(2)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.effects).toMatchObject([{ type: 'edit', data: { newContent: 'better', userId: me } }]);
    chat.fail('e1', 2);
    expect(chat.findMessage(2)).toMatchObject({ content: 'mine', isEdited: false });
  });

  it('stays after it is stored', () => {
    const chat = new Chat().edit('e1', 2, 'better');
    const data = { sessionId, seq: 4, messageId: `${receivedAtMs}-2`, newContent: 'better' };
    chat.dispatch({
      type: 'changeStored',
      changeId: 'e1',
      messageId: data.messageId,
      frame: { event: 'message_edited', data },
      me,
    });
    expect(chat.findMessage(2)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.state.session).toMatchObject({ seq: 4, unconfirmedMessages: {} });
  });

  it('needs a text message of the user and a new text', () => {
    expect(new Chat().edit('e1', 3, 'not mine').effects).toEqual([]);
    expect(new Chat().edit('e1', 2, 'mine').effects).toEqual([]);
    expect(new Chat().receiveMessage(4, 'x', me, 'mixed').edit('e1', 4, 'y').effects).toEqual([]);
  });

  it('by the partner is applied to the message with exactly that id', () => {
    const createEditFrame = (messageId: string, seq: number): ServerFrame => ({
      event: 'message_edited',
      data: { sessionId, seq, messageId, newContent: 'changed' },
    });
    const chat = new Chat().receiveFrame(createEditFrame(`${receivedAtMs}-3`, 4));
    expect(chat.findMessage(3)).toMatchObject({ content: 'changed', isEdited: true });
    chat.receiveFrame(createEditFrame(`${receivedAtMs}-9`, 5));
    expect(chat.findMessage(2)?.content).toBe('mine');
  });
});
