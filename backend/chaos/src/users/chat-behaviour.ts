import { setTimeout as sleep } from 'node:timers/promises';
import { reactionEmojis } from '@thaw/contract/emojis';
import { formatImageMarkers } from '@thaw/contract/image-markers';
import { findQuestionById, questions } from '@thaw/contract/questions';
import { fingerprints, ANY_FINGERPRINT } from '../check/fingerprint';
import type { Random } from '../random';
import type { Outcome, SimulatedUser } from './simulated-user';

/** Time without a match after which the page sends `join_queue` again. */
const REPEAT_JOIN_MS = 10_000;
const MATCH_POLL_MS = 20;
const ANSWER_GAME_PROBABILITY = 0.5;

/**
 * Simulates the actions of a user in random chats: searching, sending, reacting, editing, playing and skipping. In a
 * game (break the ice) both users answer the same question. Every content begins with the session and the sender, which
 * `FrameRecorder` checks.
 */
export class ChatBehaviour {
  private sentCount = 0;
  /**
   * Reactions sent so far. None is sent twice: the second would change nothing, and its ack would have the seq of the
   * chat's latest event, which `FrameRecorder` would report as a problem.
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
    this.sentCount += 1;
    // The dots vary the length. Without the bar, the server would trim the last space when there are no dots.
    const content = `${sessionId} ${this.user.id} ${this.sentCount} ${'.'.repeat(this.random.chooseBetween(0, 60))}|`;
    const clientId = this.user.createId();
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
    this.sentCount += 1;
    const text = `${sessionId} ${id} ${this.sentCount} look`;
    const content = formatImageMarkers({ text, imageUrls: [url] });
    const clientId = this.user.createId();
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
    // If the partner was faster, or the grace period of a lost connection was over, the ack refers to that earlier end,
    // which has another fingerprint.
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
    this.sentCount += 1;
    const newContent = `${sessionId} ${userId} ${this.sentCount} edited`;
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
    const gameId = this.user.createId();
    const question = { id: this.random.pick(questions).id };
    await this.user.sendChatCommand(
      'break_ice_start',
      { sessionId, gameId, question, initiatorId },
      (ack) => {
        // The question of the ack, not the requested one: the check compares it with the question of the stored event.
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
      // The ack of an answer contains no seq. The user also receives the event as a frame, which contains it.
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

  private sendTyping(): void {
    if (this.sessionId) this.user.connection.send('typing', { sessionId: this.sessionId });
  }
}
