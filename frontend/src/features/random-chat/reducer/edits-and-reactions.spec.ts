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
// The `seq` numbers the stored events of a session: the match has 1, the two messages of each test have 2 and 3.
const ownMessageSeq = 2;
const partnerMessageSeq = 3;
const nextSeq = 4;
/** The id that `createMessageData` gives the message with this `seq`. */
const toMessageId = (seq: number): string => `${receivedAtMs}-${seq}`;

/** A frame with a stored edit or reaction. */
type ChangeFrame = Extract<ServerFrame, { event: 'message_edited' | 'message_reaction' }>;

/**
 * A chat with a message of the user (`ownMessageSeq`) and one of the partner (`partnerMessageSeq`). Each edit or
 * reaction of the user has a `changeId`, by which an answer of the server refers to it.
 */
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

  react(changeId: string, messageSeq: number, emoji = '👍'): this {
    return this.dispatch({
      type: 'reactionToggled',
      changeId,
      messageId: toMessageId(messageSeq),
      emoji,
      me,
    });
  }

  edit(changeId: string, messageSeq: number, newContent: string): this {
    return this.dispatch({
      type: 'editSaved',
      changeId,
      messageId: toMessageId(messageSeq),
      newContent,
      me,
    });
  }

  /** The server has stored an edit or reaction of the user, and its ack contains the frame. */
  acknowledgeChange(changeId: string, messageSeq: number, frame: ChangeFrame): this {
    return this.dispatch({
      type: 'changeStored',
      changeId,
      messageId: toMessageId(messageSeq),
      frame,
      me,
    });
  }

  /** The server has refused an edit or reaction of the user. */
  refuseChange(changeId: string, messageSeq: number): this {
    return this.dispatch({ type: 'changeFailed', sessionId, changeId, messageId: toMessageId(messageSeq) });
  }

  findMessage(messageSeq: number): ChatMessage | undefined {
    return this.state.session?.messages.find(({ id }) => id === toMessageId(messageSeq));
  }
}

/**
 * A frame with a reaction to the partner's message. The page shows `users`, all who have now reacted with 👍, and
 * ignores `action` and `userId`.
 */
const createReactionFrame = (seq: number, users: number[]): ChangeFrame => ({
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

const createEditFrame = (seq: number, messageSeq: number, newContent: string): ChangeFrame => ({
  event: 'message_edited',
  data: { sessionId, seq, messageId: toMessageId(messageSeq), newContent },
});

describe('a reaction', () => {
  it('is shown at once, sent, and confirmed by its ack', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.effects).toMatchObject([{ type: 'react', data: { emoji: '👍', action: 'add', userId: me } }]);
    chat.acknowledgeChange('r1', partnerMessageSeq, createReactionFrame(nextSeq, [me]));
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({ '👍': { count: 1, users: [me] } });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it('is removed by a second click, and so is the entry of its emoji if no user is left', () => {
    const chat = new ChatWithMessages()
      .receiveFrame(createReactionFrame(nextSeq, [me]))
      .react('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({});
    expect(chat.effects).toMatchObject([{ data: { action: 'remove' } }]);
  });

  it("is undone when refused, but not the partner's reaction that arrived in the meantime", () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerMessageSeq)
      .receiveFrame(createReactionFrame(nextSeq, [partner.id]));
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']).toEqual({
      count: 2,
      users: [partner.id, me],
    });
    chat.refuseChange('r1', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']).toEqual({ count: 1, users: [partner.id] });
  });

  it('leaves no trace after two toggles that are both refused', () => {
    const chat = new ChatWithMessages()
      .react('r1', partnerMessageSeq)
      .react('r2', partnerMessageSeq)
      .refuseChange('r1', partnerMessageSeq)
      .refuseChange('r2', partnerMessageSeq);
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toEqual({});
    expect(chat.state.session?.unconfirmedMessages).toEqual({});
  });

  it('is shown with the variation selector U+FE0F that its emoji lacks', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq, '\u2764');
    expect(chat.findMessage(partnerMessageSeq)?.reactions).toHaveProperty('\u2764\uFE0F');
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

  it('is shown even if the seq of its ack skips events, which the page requests', () => {
    const chat = new ChatWithMessages().react('r1', partnerMessageSeq);
    chat.acknowledgeChange('r1', partnerMessageSeq, createReactionFrame(nextSeq + 2, [me]));
    expect(chat.effects).toEqual([{ type: 'resync' }]);
    expect(chat.findMessage(partnerMessageSeq)?.reactions['👍']?.users).toEqual([me]);
    // The session advances only when the missing events arrive.
    expect(chat.state.session?.seq).toBe(partnerMessageSeq);
  });
});

// A reaction to an unknown message id belongs to the message with the nearest time, if that is less than a second away
// (docs/product-decisions.md, A86). Message ids begin with their time in milliseconds.
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
    ['an id that is only a time, between two messages', '1000150', '1000000-0'],
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
    chat.refuseChange('e1', ownMessageSeq);
    expect(chat.findMessage(ownMessageSeq)).toMatchObject({ content: 'mine', isEdited: false });
  });

  it('is confirmed when the server has stored it', () => {
    const chat = new ChatWithMessages().edit('e1', ownMessageSeq, 'better');
    chat.acknowledgeChange('e1', ownMessageSeq, createEditFrame(nextSeq, ownMessageSeq, 'better'));
    expect(chat.findMessage(ownMessageSeq)).toMatchObject({ content: 'better', isEdited: true });
    expect(chat.state.session).toMatchObject({ seq: nextSeq, unconfirmedMessages: {} });
  });

  it.each([
    ["the partner's message", partnerMessageSeq, 'not mine'],
    ['an unchanged text', ownMessageSeq, 'mine'],
    ['a message with a picture', nextSeq, 'new text'],
  ])('is ignored for %s', (_case, messageSeq, newContent) => {
    const chat = new ChatWithMessages().receiveMessage(nextSeq, 'my picture', me, 'mixed');
    expect(chat.edit('e1', messageSeq, newContent).effects).toEqual([]);
  });

  it('by the partner changes the message and marks it as edited', () => {
    const frame = createEditFrame(nextSeq, partnerMessageSeq, 'changed');
    const chat = new ChatWithMessages().receiveFrame(frame);
    expect(chat.findMessage(partnerMessageSeq)).toMatchObject({ content: 'changed', isEdited: true });
  });

  it('of an unknown message, unlike a reaction, does not change the nearest message', () => {
    const unknownSeq = 9;
    const chat = new ChatWithMessages().receiveFrame(createEditFrame(nextSeq, unknownSeq, 'ignored'));
    expect(chat.findMessage(ownMessageSeq)?.content).toBe('mine');
    expect(chat.findMessage(partnerMessageSeq)?.content).toBe('theirs');
  });
});
