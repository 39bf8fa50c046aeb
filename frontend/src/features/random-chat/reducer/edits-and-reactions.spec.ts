import { type ServerFrame } from '@thaw/contract/server-frames';
import { type ChatMessage } from '@/chat-ui/chat-message';
import { findReactionTarget } from '@/features/random-chat/reducer/stored-events';
import { aMessage } from '@/testing/factories';
import {
  receivedAtMs,
  ChatDriver,
  createChatMatchedData,
  me,
  partner,
  createMessageData,
} from '@/testing/random-chat-driver';

const sessionId = 's1';
// The `seq` numbers the stored events of a session; the match has 1.
const ownMessageSeq = 2;
const partnerMessageSeq = 3;
/** The `seq` of the first event after the two messages. */
const nextSeq = 4;
/** The id that `createMessageData` gives the message with this `seq`. */
const toMessageId = (seq: number): string => `${receivedAtMs}-${seq}`;

/** A chat with a message of the user (`ownMessageSeq`) and one of the partner (`partnerMessageSeq`). */
class ChatWithMessages extends ChatDriver {
  constructor() {
    super();
    this.dispatch({ type: 'findPressed', nowMs: receivedAtMs }).receive(
      'chat_matched',
      createChatMatchedData(),
    );
    this.receiveMessage(ownMessageSeq, 'mine', me).receiveMessage(partnerMessageSeq, 'theirs', partner.id);
  }

  /** A message of the type 'mixed' has a text and a picture. */
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
    messageId: toMessageId(partnerMessageSeq),
    emoji: '👍',
    action: 'add',
    userId: partner.id,
    reactions: { '👍': { count: users.length, users } },
  },
});

describe('a reaction', () => {
  it('is shown at once, sent, and confirmed by its ack', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.effects).toMatchObject([{ type: 'react', data: { emoji: '👍', action: 'add', userId: me } }]);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: toMessageId(partnerMessageSeq),
      frame: createReactionFrame(nextSeq, [me]),
      me,
    });
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it('is removed by a second click, together with its entry when no other user has reacted', () => {
    const chat = new ChatWithMessages()
      .receiveFrame(createReactionFrame(nextSeq, [me]))
      .react('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({});
    expect(chat.effects).toMatchObject([{ data: { action: 'remove' } }]);
  });

  it("is undone when refused, while the partner's reaction that arrived in the meantime stays", () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerMessageSeq)
      .receiveFrame(createReactionFrame(nextSeq, [partner.id]));
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']).toEqual({
      count: 2,
      users: [partner.id, me],
    });
    chat.failChange('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']).toEqual({ count: 1, users: [partner.id] });
  });

  it('leaves no trace after two toggles that are both refused', () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerMessageSeq)
      .react('r2', partnerMessageSeq)
      .failChange('r1', partnerMessageSeq)
      .failChange('r2', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({});
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('gets the U+FE0F that its emoji lacks', () => {
    expect(
      new ChatWithMessages().react('r1', partnerMessageSeq, '❤').findMessage(partnerMessageSeq)?.reactions,
    ).toHaveProperty('❤️');
  });

  it('is ignored when its emoji is not in the allowed list', () => {
    expect(new ChatWithMessages().react('r1', partnerMessageSeq, '🦊').effects).toEqual([]);
  });

  it('may be one of several by the user', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq).react('r2', partnerMessageSeq, '🔥');
    expect(Object.keys(chat.findMessage(partnerMessageSeq)?.reactions ?? {})).toEqual(['👍', '🔥']);
  });

  it('is ignored on a notice', () => {
    const chat = new ChatWithMessages();
    const welcomeId = `welcome-${sessionId}`;
    chat.dispatch({ type: 'reactionToggled', changeId: 'r1', messageId: welcomeId, emoji: '👍', me });
    expect(chat.effects).toEqual([]);
  });

  it('requests the missing events when the seq of its ack skips some, and is shown nevertheless', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq);
    chat.dispatch({
      type: 'changeStored',
      changeId: 'r1',
      messageId: toMessageId(partnerMessageSeq),
      frame: createReactionFrame(nextSeq + 2, [me]),
      me,
    });
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']?.users).toEqual([me]);
    // The session advances only when the missing events arrive.
    expect(chat.state.session?.seq).toBe(partnerMessageSeq);
  });
});

// A reaction whose message id is unknown belongs to the nearest message: ids begin with a time in milliseconds, and the
// times must differ by less than a second (docs/product-decisions.md, A86).
describe('findReactionTarget', () => {
  const messages = [
    aMessage({ id: '1000000-0' }),
    aMessage({ id: '1000400-0' }),
    // The welcome notice, whose id contains no time.
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
    const chat = new ChatWithMessages().edit('e1', ownMessageSeq, 'better');
    expect(chat.findMessage(ownMessageSeq)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.effects).toMatchObject([{ type: 'edit', data: { newContent: 'better', userId: me } }]);
    chat.failChange('e1', ownMessageSeq);
    expect(chat.findMessage(ownMessageSeq)).toMatchObject({ content: 'mine', isEdited: false });
  });

  it('is confirmed when the server has stored it', () => {
    const chat = new ChatWithMessages().edit('e1', ownMessageSeq, 'better');
    const data = { sessionId, seq: nextSeq, messageId: toMessageId(ownMessageSeq), newContent: 'better' };
    chat.dispatch({
      type: 'changeStored',
      changeId: 'e1',
      messageId: data.messageId,
      frame: { event: 'message_edited', data },
      me,
    });
    expect(chat.findMessage(ownMessageSeq)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it("is ignored for the partner's message, an unchanged text and a message with a picture", () => {
    expect(new ChatWithMessages().edit('e1', partnerMessageSeq, 'not mine').effects).toEqual([]);
    expect(new ChatWithMessages().edit('e1', ownMessageSeq, 'mine').effects).toEqual([]);
    expect(
      new ChatWithMessages().receiveMessage(nextSeq, 'x', me, 'mixed').edit('e1', nextSeq, 'y').effects,
    ).toEqual([]);
  });

  it('by the partner changes only the message with exactly that id', () => {
    const createEditFrame = (seq: number, messageId: string, newContent: string): ServerFrame => ({
      event: 'message_edited',
      data: { sessionId, seq, messageId, newContent },
    });
    const chat = new ChatWithMessages().receiveFrame(
      createEditFrame(nextSeq, toMessageId(partnerMessageSeq), 'changed'),
    );
    expect(chat.findMessage(partnerMessageSeq)).toMatchObject({ content: 'changed', isEdited: true });
    const unknownId = toMessageId(9);
    chat.receiveFrame(createEditFrame(nextSeq + 1, unknownId, 'ignored'));
    // Unlike a reaction, an edit does not change the nearest message.
    expect(chat.findMessage(ownMessageSeq)?.content).toBe('mine');
    expect(chat.findMessage(partnerMessageSeq)?.content).toBe('changed');
  });
});
