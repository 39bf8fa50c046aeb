import type { Gender, Preference } from '../../../contract/src/scalars.ts';
import { delivery, timeToMatch } from './metrics.ts';
import { type CurrentChat, type Frame, type LiveUser, wait } from './live-user.ts';

/** The reactions that the product offers. */
const reactionEmojis = ['❤️', '😂', '😮', '😢', '😡', '👍', '👎', '🔥', '💯', '👏'];
/** Number of questions in the product's question bank. Their ids count from 1. */
const QUESTION_COUNT = 85;
/** How many of 100 random actions in a chat are of each kind. Answers to the questions of games come in addition. */
const actionShares = { message: 75, reaction: 10, edit: 5, game: 4, typing: 6 };
type ActionKind = keyof typeof actionShares;
/** Each kind as often as its share. */
const hundredActions = (Object.keys(actionShares) as ActionKind[]).flatMap((kind) =>
  new Array<ActionKind>(actionShares[kind]).fill(kind),
);
/** A user who has waited this long for a match sends `join_queue` again. */
const REPEAT_JOIN_MS = 10_000;

export const pick = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick from');
  return item;
};

/** Virtual users with odd numbers are male, the others female, so that every preference finds a partner. */
export const chooseGender = (vu: number): Gender => (vu % 2 === 0 ? 'female' : 'male');

/** Milliseconds between two acts of one user in a chat: 0.5 to 2.5 s. */
const chooseThinkingTimeMs = (): number => 500 + Math.random() * 2_000;

/**
 * Joins the queue and waits for a chat.
 * @param preference the accepted gender of the partner
 * @returns the chat, or undefined if there is none within `withinMs`
 */
export const findChat = async (
  user: LiveUser,
  withinMs: number,
  preference: Preference = 'both',
): Promise<CurrentChat | undefined> => {
  const startedAt = Date.now();
  const deadline = startedAt + withinMs;
  while (!user.chat && Date.now() < deadline) {
    const matched = user.waitFor('chat_matched', Math.min(REPEAT_JOIN_MS, deadline - Date.now()));
    await user.request('join_queue', { preferences: preference });
    await matched;
  }
  if (user.chat) timeToMatch.add(Date.now() - startedAt, { preference });
  return user.chat;
};

/** The actions of one user in random chats: messages, reactions, edits, games and typing. */
export class Conversation {
  /** The number of messages and edits sent. It distinguishes their texts. */
  private sentCount = 0;
  private lastOwnMessageId: string | undefined;
  /** The partner's newest message, unless this user has reacted to it. */
  private lastPartnerMessageId: string | undefined;
  /**
   * How many questions this user has asked in the session `sessionId`. Kept from one call of `talk` to the next,
   * because both may be in the same chat.
   */
  private askedQuestions: { sessionId: string; count: number } | undefined;
  /** The open game of Break the Ice, in which both users answer a question. */
  private game: { gameId: string; options: string[]; hasAnswered: boolean } | undefined;

  constructor(private readonly user: LiveUser) {
    user.onFrame = (frame) => this.recordFrame(frame);
  }

  /** Performs random actions and answers questions, until `untilMs` (epoch milliseconds) or the end of the chat. */
  async talk(untilMs: number): Promise<void> {
    this.forgetMessagesAndGame();
    while (this.user.chat && Date.now() < untilMs) {
      await wait(Math.min(chooseThinkingTimeMs(), untilMs - Date.now()));
      await this.performAction();
    }
  }

  /** Skips the chat, if there is one. */
  async skip(): Promise<void> {
    const { chat } = this.user;
    if (!chat) return;
    await this.user.request('skip_chat', { sessionId: chat.sessionId });
    this.user.endChat();
  }

  /**
   * Sends a message that starts with the time of sending, from which the partner computes the delivery time.
   * @returns whether it was acknowledged
   */
  async sendMessage(text = ''): Promise<boolean> {
    const { chat, id } = this.user;
    if (!chat) return false;
    this.sentCount += 1;
    const ack = await this.user.request('random_message', {
      sessionId: chat.sessionId,
      content: `${Date.now()} ${id} ${this.sentCount} ${text}`.trim(),
      messageType: 'text',
      clientId: `${id}-${this.sentCount}`,
    });
    if (ack?.event !== 'ack') return false;
    this.lastOwnMessageId = String(ack.data.id);
    return true;
  }

  private async performAction(): Promise<void> {
    // An open question is answered before any random action.
    if (this.game && !this.game.hasAnswered) return this.answerQuestion();
    switch (pick(hundredActions)) {
      case 'message':
        await this.sendMessage('x'.repeat(Math.floor(Math.random() * 60)));
        return;
      case 'reaction':
        return this.addReaction();
      case 'edit':
        return this.editLastMessage();
      case 'game':
        return this.startGame();
      case 'typing':
        return this.notifyTyping();
    }
  }

  private notifyTyping(): void {
    const { chat } = this.user;
    if (chat) this.user.send('typing', { sessionId: chat.sessionId });
  }

  private async addReaction(): Promise<void> {
    const { chat, id: userId } = this.user;
    const messageId = this.lastPartnerMessageId;
    if (!chat || messageId === undefined) return;
    // Not again to the same message: the ack of a repeated reaction has the `seq` of the first one, which `Sequence`
    // would count as a duplicate event.
    this.lastPartnerMessageId = undefined;
    const { sessionId } = chat;
    await this.user.request('message_reaction', {
      sessionId,
      messageId,
      emoji: pick(reactionEmojis),
      action: 'add',
      userId,
    });
  }

  private async editLastMessage(): Promise<void> {
    const { chat, id: userId } = this.user;
    const messageId = this.lastOwnMessageId;
    if (!chat || messageId === undefined) return;
    // The count makes the text differ from the earlier one.
    this.sentCount += 1;
    const newContent = `edited ${this.sentCount}`;
    await this.user.request('message_edit', { sessionId: chat.sessionId, messageId, newContent, userId });
  }

  private async startGame(): Promise<void> {
    const { chat, id: initiatorId } = this.user;
    if (!chat || this.game) return;
    const question = this.pickNextQuestion(chat);
    if (!question) return;
    const gameId = `${initiatorId}-${Date.now()}`;
    const ack = await this.user.request('break_ice_start', {
      sessionId: chat.sessionId,
      gameId,
      question,
      initiatorId,
    });
    const startedQuestion = ack?.event === 'ack' ? (ack.data.question as { options: string[] }) : undefined;
    if (!startedQuestion) return;
    // The server accepts a game only while no other is open, so this replaces none.
    this.game = { gameId, options: startedQuestion.options, hasAnswered: false };
  }

  /**
   * Picks the next question. In one chat no question is asked twice: one user asks those with odd numbers, the other
   * those with even numbers.
   * @returns undefined when this user has asked all of theirs
   */
  private pickNextQuestion({ sessionId, partnerId }: CurrentChat): { id: number } | undefined {
    if (this.askedQuestions?.sessionId !== sessionId) this.askedQuestions = { sessionId, count: 0 };
    const firstId = this.user.id < partnerId ? 1 : 2;
    const id = firstId + 2 * this.askedQuestions.count;
    if (id > QUESTION_COUNT) return undefined;
    this.askedQuestions.count += 1;
    return { id };
  }

  private async answerQuestion(): Promise<void> {
    const { chat, id: userId } = this.user;
    const { game } = this;
    if (!chat || !game) return;
    game.hasAnswered = true;
    const { gameId, options } = game;
    await this.user.request('break_ice_response', {
      sessionId: chat.sessionId,
      gameId,
      response: pick(options),
      userId,
    });
  }

  private recordFrame({ event, data }: Frame): void {
    if (event === 'random_message') {
      // NaN unless `sendMessage` wrote the message.
      const sentAt = Number(String(data.content).split(' ')[0]);
      if (sentAt > 0) delivery.add(Date.now() - sentAt);
      this.lastPartnerMessageId = String(data.id);
    } else if (event === 'break_ice_question_received') {
      const { options } = data.question as { options: string[] };
      this.game = { gameId: String(data.gameId), options, hasAnswered: false };
    } else if (event === 'break_ice_reveal_results' || event === 'break_ice_ignored') {
      this.game = undefined;
    }
  }

  private forgetMessagesAndGame(): void {
    this.lastOwnMessageId = undefined;
    this.lastPartnerMessageId = undefined;
    this.game = undefined;
  }
}
