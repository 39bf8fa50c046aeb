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
  createMessageData,
} from '@/testing/random-chat-driver';

const sessionId = 's1';
const ownSeq = 2;
const partnerSeq = 3;
/** Version of the first event after the two messages. */
const nextSeq = 4;
const toMessageId = (seq: number): string => `${receivedAtMs}-${seq}`;

/** A chat in which the user has sent the message `ownSeq`, and the partner the message `partnerSeq`. */
class ChatWithMessages extends ChatDriver {
  constructor() {
    super();
    this.dispatch({ type: 'findPressed', nowMs: receivedAtMs }).receive('chat_matched', createChatMatched());
    this.receiveMessage(ownSeq, 'mine', me).receiveMessage(partnerSeq, 'theirs', partner.id);
  }

  receiveMessage(seq: number, content: string, senderId: number, type: 'text' | 'mixed' = 'text'): this {
    return this.receive('random_message', createMessageData(seq, content, { senderId, type }));
  }

  react(changeId: string, seq: number, emoji = '👍'): this {
    return this.dispatch({
      type: 'reactionToggled',
      changeId,
      messageId: toMessageId(seq),
      emoji,
      me,
    });
  }

  edit(changeId: string, seq: number, newContent: string): this {
    return this.dispatch({
      type: 'editSaved',
      changeId,
      messageId: toMessageId(seq),
      newContent,
      me,
    });
  }

  failChange(changeId: string, seq: number): this {
    return this.dispatch({ type: 'changeFailed', sessionId, changeId, messageId: toMessageId(seq) });
  }

  findMessage(seq: number): ChatMessage | undefined {
    return this.state.session?.messages.find(({ id }) => id === toMessageId(seq));
  }
}

/**
 * The frame of a reaction to the partner's message. `users` are all who have now reacted with 👍. The page shows
 * these users, and ignores `action` and `userId`.
 */
const createReactionFrame = (
  seq: number,
  users: number[],
): Extract<ServerFrame, { event: 'message_reaction' }> => ({
  event: 'message_reaction',
  data: {
    sessionId,
    seq,
    messageId: toMessageId(partnerSeq),
    emoji: '👍',
    action: 'add',
    userId: partner.id,
    reactions: { '👍': { count: users.length, users } },
  },
});

describe('a reaction', () => {
  it('is shown at once, sent, and confirmed by its ack', () => {
    const chat = new ChatWithMessages().react('r1', partnerSeq);
    expect(chat.findMessage(partnerSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.effects).toMatchObject([{ type: 'react', data: { emoji: '👍', action: 'add', userId: me } }]);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: toMessageId(partnerSeq),
      frame: createReactionFrame(nextSeq, [me]),
      me,
    });
    expect(chat.findMessage(partnerSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it('is removed by a second click, together with its entry when no other user has reacted', () => {
    const chat = new ChatWithMessages()
      .receiveFrame(createReactionFrame(nextSeq, [me]))
      .react('r1', partnerSeq);
    expect(chat.findMessage(partnerSeq)?.reactions).toEqual({});
    expect(chat.effects).toMatchObject([{ data: { action: 'remove' } }]);
  });

  it("is undone when refused, without the partner's reaction that arrived in the meantime", () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerSeq)
      .receiveFrame(createReactionFrame(nextSeq, [partner.id]));
    expect(chat.findMessage(partnerSeq)?.reactions['👍']).toEqual({ count: 2, users: [partner.id, me] });
    chat.failChange('r1', partnerSeq);
    expect(chat.findMessage(partnerSeq)?.reactions['👍']).toEqual({ count: 1, users: [partner.id] });
  });

  it('leaves no trace after two toggles that are both refused', () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerSeq)
      .react('r2', partnerSeq)
      .failChange('r1', partnerSeq)
      .failChange('r2', partnerSeq);
    expect(chat.findMessage(partnerSeq)?.reactions).toEqual({});
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('may have an emoji without U+FE0F, but not one outside the allowed list', () => {
    expect(
      new ChatWithMessages().react('r1', partnerSeq, '❤').findMessage(partnerSeq)?.reactions,
    ).toHaveProperty('❤️');
    expect(new ChatWithMessages().react('r1', partnerSeq, '🦊').effects).toEqual([]);
  });

  it('may be one of several by the user, but is ignored on a notice', () => {
    const chat = new ChatWithMessages().react('r1', partnerSeq).react('r2', partnerSeq, '🔥');
    expect(Object.keys(chat.findMessage(partnerSeq)?.reactions ?? {})).toEqual(['👍', '🔥']);
    const welcomeId = `welcome-${sessionId}`;
    chat.dispatch({ type: 'reactionToggled', changeId: 'r3', messageId: welcomeId, emoji: '👍', me });
    expect(chat.effects).toEqual([]);
  });

  it('requests the missing events when the seq of its ack skips some, and is shown nevertheless', () => {
    const chat = new ChatWithMessages().react('r1', partnerSeq);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: toMessageId(partnerSeq),
      frame: createReactionFrame(nextSeq + 2, [me]),
      me,
    });
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.findMessage(partnerSeq)?.reactions['👍']?.users).toEqual([me]);
    expect(chat.state.session?.seq).toBe(partnerSeq);
  });
});

describe('findReactionTarget', () => {
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
  ])('for %s (%s) finds %s', (_case, messageId, expectedId) => {
    expect(findReactionTarget(messages, messageId)?.id).toBe(expectedId);
  });
});

describe('an edit', () => {
  it('is shown at once, marked as edited, and undone when refused', () => {
    const chat = new ChatWithMessages().edit('e1', ownSeq, 'better');
    expect(chat.findMessage(ownSeq)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.effects).toMatchObject([{ type: 'edit', data: { newContent: 'better', userId: me } }]);
    chat.failChange('e1', ownSeq);
    expect(chat.findMessage(ownSeq)).toMatchObject({ content: 'mine', isEdited: false });
  });

  it('is confirmed when the server has stored it', () => {
    const chat = new ChatWithMessages().edit('e1', ownSeq, 'better');
    const data = { sessionId, seq: nextSeq, messageId: toMessageId(ownSeq), newContent: 'better' };
    chat.dispatch({
      type: 'changeStored',
      changeId: 'e1',
      messageId: data.messageId,
      frame: { event: 'message_edited', data },
      me,
    });
    expect(chat.findMessage(ownSeq)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it("is ignored for the partner's message, an unchanged text and a message with a picture", () => {
    expect(new ChatWithMessages().edit('e1', partnerSeq, 'not mine').effects).toEqual([]);
    expect(new ChatWithMessages().edit('e1', ownSeq, 'mine').effects).toEqual([]);
    expect(
      new ChatWithMessages().receiveMessage(nextSeq, 'x', me, 'mixed').edit('e1', nextSeq, 'y').effects,
    ).toEqual([]);
  });

  it('by the partner changes only the message with exactly that id', () => {
    const createEditFrame = (messageId: string, seq: number): ServerFrame => ({
      event: 'message_edited',
      data: { sessionId, seq, messageId, newContent: 'changed' },
    });
    const chat = new ChatWithMessages().receiveFrame(createEditFrame(toMessageId(partnerSeq), nextSeq));
    expect(chat.findMessage(partnerSeq)).toMatchObject({ content: 'changed', isEdited: true });
    const unknownId = toMessageId(9);
    chat.receiveFrame(createEditFrame(unknownId, nextSeq + 1));
    expect(chat.findMessage(ownSeq)?.content).toBe('mine');
  });
});
