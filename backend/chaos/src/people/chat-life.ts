import { setTimeout as sleep } from 'node:timers/promises';
import { reactionEmojis } from '@thaw/contract/emojis';
import { withImageMarkers } from '@thaw/contract/image-markers';
import { questionById, questions } from '@thaw/contract/questions';
import { fingerprints, UNKNOWN } from '../check/fingerprint';
import type { Random } from '../random';
import type { Outcome, Person } from './person';

/** How long a search may go without a match before the page repeats `join_queue`. */
const SEARCH_AGAIN_MS = 10_000;

/** Simulates users in random chats: they search, chat, react, edit, play and skip. */
export class ChatLife {
  private said = 0;
  /** Reactions sent so far. Each is sent once, because an existing reaction is acknowledged with the present seq. */
  private readonly given = new Set<string>();

  constructor(
    private readonly person: Person,
    private readonly random: Random,
    /** Photos that this user sends. */
    private readonly photos: readonly Buffer[] = [],
  ) {}

  get isChatting(): boolean {
    return this.person.journal.current !== undefined;
  }

  /** Joins the queue and waits for a chat. @returns whether one began. */
  async search(withinMs: number): Promise<boolean> {
    const { person } = this;
    const deadline = Date.now() + withinMs;
    while (!this.isChatting && Date.now() < deadline && !person.isStopping) {
      await person.command(
        'join_queue',
        {},
        () => undefined,
        () => !this.isChatting && Date.now() < deadline,
      );
      const again = Math.min(deadline, Date.now() + SEARCH_AGAIN_MS);
      while (!this.isChatting && Date.now() < again) await sleep(20);
    }
    return this.isChatting;
  }

  /** Does one random action in the chat. */
  async actInChat(): Promise<void> {
    const { game } = this.person.journal;
    const { random } = this;
    if (game && !game.hasAnswered && random.chance(0.5)) return this.answer();
    const dice = random.next();
    if (dice < 0.81) await this.say();
    else if (dice < 0.82) await this.showPhoto();
    else if (dice < 0.88) await this.react();
    else if (dice < 0.92) await this.edit();
    else if (dice < 0.96) await this.startGame();
    else if (dice < 0.97) await this.ignoreGame();
    else this.type();
  }

  /** @returns the outcome; undefined when there is no chat. */
  async say(): Promise<Outcome | undefined> {
    const sessionId = this.sessionId;
    if (!sessionId) return undefined;
    this.said += 1;
    const content = `${sessionId} ${this.person.id} ${this.said} ${'.'.repeat(this.random.between(0, 60))}|`;
    const clientId = this.person.newId();
    return this.person.commandInChat(
      'random_message',
      { sessionId, content, messageType: 'text', clientId },
      ({ id }) => fingerprints.message(id, this.person.id, content),
    );
  }

  /** Uploads a photo and sends it to the partner. */
  private async showPhoto(): Promise<void> {
    const sessionId = this.sessionId;
    const [photo] = this.photos;
    if (!sessionId || !photo) return;
    const url = await this.person.upload(photo);
    if (url === undefined) return;
    const { id, journal } = this.person;
    this.said += 1;
    const content = withImageMarkers({ text: `${sessionId} ${id} ${this.said} look`, imageUrls: [url] });
    const clientId = this.person.newId();
    await this.person.commandInChat(
      'random_message',
      { sessionId, content, messageType: 'mixed', clientId },
      (ack) => {
        journal.log.images.add(url);
        return fingerprints.message(ack.id, id, content);
      },
    );
  }

  async skip(): Promise<void> {
    const sessionId = this.sessionId;
    if (!sessionId) return;
    // If the partner was faster, or the grace period was over, the ack refers to that end.
    const outcome = await this.person.commandInChat('skip_chat', { sessionId }, () => UNKNOWN);
    if (outcome === 'done') this.person.journal.ended(sessionId);
  }

  private get sessionId(): string | undefined {
    return this.person.journal.current?.sessionId;
  }

  private async react(): Promise<void> {
    const { journal, id: userId } = this.person;
    const sessionId = this.sessionId;
    const message = journal.messages.at(-1);
    if (!sessionId || !message) return;
    const emoji = this.random.pick(reactionEmojis);
    const reaction = `${message.id} ${emoji}`;
    if (this.given.has(reaction)) return;
    this.given.add(reaction);
    await this.person.commandInChat(
      'message_reaction',
      { sessionId, messageId: message.id, emoji, action: 'add', userId },
      () => fingerprints.reaction(message.id, emoji, 'add', userId),
    );
  }

  private async edit(): Promise<void> {
    const { journal, id: userId } = this.person;
    const sessionId = this.sessionId;
    const message = journal.messages.filter(({ senderId }) => senderId === userId).at(-1);
    if (!sessionId || !message) return;
    this.said += 1;
    const newContent = `${sessionId} ${userId} ${this.said} edited`;
    await this.person.commandInChat(
      'message_edit',
      { sessionId, messageId: message.id, newContent, userId },
      () => fingerprints.edit(message.id, newContent),
    );
  }

  private async startGame(): Promise<void> {
    const { journal, id: initiatorId } = this.person;
    const sessionId = this.sessionId;
    if (!sessionId || journal.game) return;
    const gameId = this.person.newId();
    const question = { id: this.random.pick(questions).id };
    await this.person.commandInChat(
      'break_ice_start',
      { sessionId, gameId, question, initiatorId },
      (ack) => {
        const questionId = Number((ack.question as { id?: unknown } | undefined)?.id ?? question.id);
        journal.game ??= { gameId, questionId, hasAnswered: false };
        return fingerprints.game(gameId, questionId, initiatorId);
      },
    );
  }

  private async answer(): Promise<void> {
    const { journal, id: userId } = this.person;
    const sessionId = this.sessionId;
    const { game } = journal;
    const options = game && questionById(game.questionId)?.options;
    if (!sessionId || !options) return;
    game.hasAnswered = true;
    await this.person.commandInChat(
      'break_ice_response',
      { sessionId, gameId: game.gameId, response: this.random.pick(options), userId },
      // The answerer also receives the event as a frame, which carries its seq.
      () => undefined,
    );
  }

  private async ignoreGame(): Promise<void> {
    const { journal, id: userId } = this.person;
    const sessionId = this.sessionId;
    if (!sessionId || !journal.game) return;
    const { gameId } = journal.game;
    await this.person.commandInChat('break_ice_ignore', { sessionId, gameId, userId }, () => {
      journal.game = undefined;
      return fingerprints.ignore(gameId, userId);
    });
  }

  private type(): void {
    if (this.sessionId) this.person.connection.send('typing', { sessionId: this.sessionId });
  }
}
