import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { reactionEmojis } from '@thaw/contract/emojis';
import { formatImageMarkers } from '@thaw/contract/image-markers';
import { findQuestionById, questions } from '@thaw/contract/questions';
import { fingerprints, ANY_FINGERPRINT } from '../check/fingerprint';
import type { Random } from '../random';
import type { Outcome, SimulatedUser } from './simulated-user';

/** Time without a match after which a user joins the queue again, because a fault may have removed them from it. */
const REPEAT_JOIN_MS = 10_000;
const MATCH_POLL_MS = 20;
const ANSWER_GAME_PROBABILITY = 0.5;

/**
 * Simulates the actions of a user in random chats: searching, sending, reacting, editing, playing and skipping. In a
 * game (break the ice) both users answer the same question.
 *
 * The ack of a command states the position (`seq`) of the event that the service has stored for it. For each command,
 * this class computes the fingerprint of that event: a line of text that identifies its content. `FrameRecorder`
 * records both, and at the end of the run they are compared with the events in the stores.
 */
export class ChatBehaviour {
  private sentCount = 0;
  /**
   * Reactions sent so far, as `<message id> <emoji>`. None is sent twice: no event is stored for a repetition, so its
   * ack has the seq of the latest event of the chat, and `FrameRecorder` would report that its fingerprint differs.
   */
  private readonly sentReactions = new Set<string>();

  constructor(
    private readonly user: SimulatedUser,
    private readonly random: Random,
    /** The photo that this user sends; undefined if they send none. */
    private readonly photo?: Buffer,
  ) {}

  get isChatting(): boolean {
    return this.user.recorder.currentChat !== undefined;
  }

  /** Joins the queue and waits for a chat. @returns whether a chat began within `withinMs` */
  async search(withinMs: number): Promise<boolean> {
    const { user } = this;
    const deadline = Date.now() + withinMs;
    const isWanted = (): boolean => !this.isChatting && Date.now() < deadline;
    while (isWanted() && !user.isStopping) {
      // The ack is not recorded, because it refers to no event. A failed command is repeated while `isWanted` is true.
      await user.sendCommand('join_queue', {}, () => undefined, isWanted);
      const retryAt = Math.min(deadline, Date.now() + REPEAT_JOIN_MS);
      while (!this.isChatting && Date.now() < retryAt) await sleep(MATCH_POLL_MS);
    }
    return this.isChatting;
  }

  /** Performs one random action in the current chat. */
  async actInChat(): Promise<void> {
    const { game } = this.user.recorder;
    const { random } = this;
    if (game && !game.hasAnswered && random.isChosen(ANSWER_GAME_PROBABILITY)) return this.answerGame();
    const roll = random.nextFraction();
    // Cumulative probabilities. Most actions are messages, as in real use.
    if (roll < 0.81) await this.sendMessage();
    else if (roll < 0.82) await this.sendPhoto();
    else if (roll < 0.88) await this.addReaction();
    else if (roll < 0.92) await this.editMessage();
    else if (roll < 0.96) await this.startGame();
    else if (roll < 0.97) await this.ignoreGame();
    else this.sendTyping();
  }

  /** @returns the outcome; undefined when there is no chat */
  async sendMessage(): Promise<Outcome | undefined> {
    const sessionId = this.sessionId;
    if (!sessionId) return undefined;
    // The dots vary the length. Without the bar, the server would trim the last space when there are no dots.
    const content = this.createContent(sessionId, `${'.'.repeat(this.random.chooseBetween(0, 60))}|`);
    const clientId = randomUUID();
    return this.user.sendChatCommand(
      'random_message',
      { sessionId, content, messageType: 'text', clientId },
      ({ id }) => fingerprints.message(id, this.user.id, content),
    );
  }

  /** Uploads a photo and sends it to the partner. */
  private async sendPhoto(): Promise<void> {
    const sessionId = this.sessionId;
    if (!sessionId || !this.photo) return;
    const url = await this.user.upload(this.photo);
    if (url === undefined) return;
    const { id, recorder } = this.user;
    const text = this.createContent(sessionId, 'look');
    const content = formatImageMarkers({ text, imageUrls: [url] });
    const clientId = randomUUID();
    await this.user.sendChatCommand(
      'random_message',
      { sessionId, content, messageType: 'mixed', clientId },
      (ack) => {
        recorder.log.images.add(url);
        return fingerprints.message(ack.id, id, content);
      },
    );
  }

  async skip(): Promise<void> {
    const sessionId = this.sessionId;
    if (!sessionId) return;
    // The chat may have ended before, for example because one of the two was disconnected for too long. The ack then
    // has the seq of that end, whose reason is not known here.
    const outcome = await this.user.sendChatCommand('skip_chat', { sessionId }, () => ANY_FINGERPRINT);
    if (outcome === 'done') this.user.recorder.markEnded(sessionId);
  }

  private get sessionId(): string | undefined {
    return this.user.recorder.currentChat?.sessionId;
  }

  private async addReaction(): Promise<void> {
    const { recorder, id: userId } = this.user;
    const sessionId = this.sessionId;
    const message = recorder.messages.at(-1);
    if (!sessionId || !message) return;
    const emoji = this.random.pick(reactionEmojis);
    const reactionKey = `${message.id} ${emoji}`;
    if (this.sentReactions.has(reactionKey)) return;
    this.sentReactions.add(reactionKey);
    await this.user.sendChatCommand(
      'message_reaction',
      { sessionId, messageId: message.id, emoji, action: 'add', userId },
      () => fingerprints.reaction(message.id, emoji, 'add', userId),
    );
  }

  private async editMessage(): Promise<void> {
    const { recorder, id: userId } = this.user;
    const sessionId = this.sessionId;
    const message = recorder.messages.filter(({ senderId }) => senderId === userId).at(-1);
    if (!sessionId || !message) return;
    const newContent = this.createContent(sessionId, 'edited');
    await this.user.sendChatCommand(
      'message_edit',
      { sessionId, messageId: message.id, newContent, userId },
      () => fingerprints.edit(message.id, newContent),
    );
  }

  private async startGame(): Promise<void> {
    const { recorder, id: initiatorId } = this.user;
    const sessionId = this.sessionId;
    if (!sessionId || recorder.game) return;
    const gameId = randomUUID();
    const question = { id: this.random.pick(questions).id };
    await this.user.sendChatCommand(
      'break_ice_start',
      { sessionId, gameId, question, initiatorId },
      (ack) => {
        // The question of the ack, so that the check fails if the service has stored another one.
        const questionId = Number((ack.question as { id?: unknown } | undefined)?.id ?? question.id);
        recorder.game ??= { gameId, questionId, hasAnswered: false };
        return fingerprints.game(gameId, questionId, initiatorId);
      },
    );
  }

  private async answerGame(): Promise<void> {
    const { recorder, id: userId } = this.user;
    const sessionId = this.sessionId;
    const { game } = recorder;
    const options = game && findQuestionById(game.questionId)?.options;
    if (!sessionId || !options) return;
    game.hasAnswered = true;
    await this.user.sendChatCommand(
      'break_ice_response',
      { sessionId, gameId: game.gameId, response: this.random.pick(options), userId },
      // Not recorded, because the ack of an answer contains no seq. The frame with the same event contains it.
      () => undefined,
    );
  }

  private async ignoreGame(): Promise<void> {
    const { recorder, id: userId } = this.user;
    const sessionId = this.sessionId;
    if (!sessionId || !recorder.game) return;
    const { gameId } = recorder.game;
    await this.user.sendChatCommand('break_ice_ignore', { sessionId, gameId, userId }, () => {
      recorder.game = undefined;
      return fingerprints.ignore(gameId, userId);
    });
  }

  /**
   * Creates the content of a message, which occurs only once. It begins with the ids of the session and the sender, by
   * which `FrameRecorder` recognises a message that is delivered to another chat.
   */
  private createContent(sessionId: string, ending: string): string {
    this.sentCount += 1;
    return `${sessionId} ${this.user.id} ${this.sentCount} ${ending}`;
  }

  private sendTyping(): void {
    if (this.sessionId) this.user.connection.send('typing', { sessionId: this.sessionId });
  }
}
