import { setTimeout as sleep } from 'node:timers/promises';
import { reactionEmojis } from '@thaw/contract/emojis';
import { formatImageMarkers } from '@thaw/contract/image-markers';
import { limits } from '@thaw/contract/limits';
import { createPlainJpeg } from './image-corpus.fixture';
import type { ReceivedFrame, ThawSocket, ThawVisitor } from './thaw.client';

/** Room for the longest prefix that `startActions` puts before a text: "edited" and an id of `createId`. */
const PREFIX_CODE_POINTS = 30;
/** The emoji has four bytes in UTF-8, the most a code point can have. */
const LARGEST_TEXT = '🧊'.repeat(limits.messageMaxCodePoints - PREFIX_CODE_POINTS);
const ROUNDS_PER_CHAT = 8;

/**
 * Fills Redis as fast as the contract permits: sends the largest messages, with quotes and images, and edits, reactions
 * and games, and starts a new chat every few rounds.
 */
export class HostileUser {
  /** Acknowledged messages by session and `seq`. */
  readonly acknowledged = new Map<string, Map<number, string>>();
  /** Number of refused frames by error code. */
  readonly refusals = new Map<string, number>();
  private sessionId: string | undefined;
  /** The last message of this user in the chat, which is edited, quoted and reacted to. */
  private lastMessageId: string | undefined;
  /** Number of calls of `createId`. */
  private idCount = 0;
  private imageUrl = '';

  private constructor(
    readonly visitor: ThawVisitor,
    readonly socket: ThawSocket,
  ) {
    socket.webSocket.on('message', (raw) => {
      const { event, data } = JSON.parse((raw as Buffer).toString()) as ReceivedFrame;
      if (event === 'chat_matched') this.sessionId = String(data.sessionId);
      if (event === 'chat_skipped' && data.sessionId === this.sessionId) this.sessionId = undefined;
    });
  }

  /** Opens a socket for a visitor and uploads the image that the attack sends. */
  static async connect(visitor: ThawVisitor): Promise<HostileUser> {
    const user = new HostileUser(visitor, await visitor.openSocket());
    user.imageUrl = await upload(visitor);
    return user;
  }

  /** Sends all frames of a round concurrently, round after round, until `isOver`. */
  async attack({ pauseMs, isOver }: { pauseMs: number; isOver: () => boolean }): Promise<void> {
    for (let round = 1; !isOver(); round += 1) {
      const { sessionId } = this;
      if (sessionId === undefined) await this.request('join_queue', {});
      else if (round % ROUNDS_PER_CHAT === 0) await this.skip(sessionId);
      else await Promise.all(this.startActions(round, sessionId));
      await sleep(pauseMs);
    }
  }

  /** Creates an id that no other text, message or game of any user has. */
  private createId(): string {
    this.idCount += 1;
    return `${this.visitor.user.id}.${this.idCount}`;
  }

  private startActions(round: number, sessionId: string): Promise<unknown>[] {
    const createText = () => `${this.createId()} ${LARGEST_TEXT}`;
    const imageUrls = Array.from({ length: limits.imagesPerMessage }, () => this.imageUrl);
    const emoji = reactionEmojis[round % reactionEmojis.length] ?? '🔥';
    return [
      this.edit(sessionId, `edited ${createText()}`),
      this.react(sessionId, emoji),
      this.send(sessionId, 'text', createText()),
      this.send(sessionId, 'mixed', formatImageMarkers({ text: createText(), imageUrls })),
      this.send(sessionId, 'image', this.imageUrl),
      this.startGame(sessionId),
    ];
  }

  private async skip(sessionId: string): Promise<void> {
    await this.request('skip_chat', { sessionId });
    // The user who skips receives an ack but no `chat_skipped`.
    if (this.sessionId === sessionId) this.sessionId = undefined;
  }

  private async send(
    sessionId: string,
    messageType: 'text' | 'image' | 'mixed',
    content: string,
  ): Promise<void> {
    const clientId = this.createId().padEnd(limits.idMaxLength, '-');
    const replyTo = this.lastMessageId === undefined ? null : { messageId: this.lastMessageId };
    const data = { sessionId, messageType, content, clientId, replyTo };
    const ack = await this.request('random_message', data);
    if (!ack) {
      this.lastMessageId = undefined; // the reason may be that the quoted message belongs to the previous chat
      return;
    }
    this.lastMessageId = String(ack.id);
    const messages = this.acknowledged.get(sessionId) ?? new Map<number, string>();
    this.acknowledged.set(sessionId, messages.set(Number(ack.seq), content));
  }

  private startGame(sessionId: string): Promise<unknown> {
    const gameId = this.createId().padEnd(limits.idMaxLength, '-');
    const question = { id: 1 + (this.idCount % limits.questionCount) };
    return this.request('break_ice_start', {
      sessionId,
      gameId,
      question,
      initiatorId: this.visitor.user.id,
    });
  }

  private async edit(sessionId: string, newContent: string): Promise<void> {
    const { lastMessageId: messageId } = this;
    if (messageId === undefined) return;
    await this.request('message_edit', { sessionId, messageId, newContent, userId: this.visitor.user.id });
  }

  private async react(sessionId: string, emoji: string): Promise<void> {
    const { lastMessageId: messageId } = this;
    if (messageId === undefined) return;
    const userId = this.visitor.user.id;
    await this.request('message_reaction', { sessionId, messageId, emoji, action: 'add', userId });
  }

  /** Sends a frame and counts it if it is refused. @returns the data of the answer; undefined after a refusal */
  private async request(
    ...frame: Parameters<ThawSocket['ask']>
  ): Promise<Record<string, unknown> | undefined> {
    const { event, data } = await this.socket.ask(...frame);
    if (event !== 'error') return data;
    this.refusals.set(String(data.code), (this.refusals.get(String(data.code)) ?? 0) + 1);
    return undefined;
  }
}

const upload = async (visitor: ThawVisitor): Promise<string> => {
  const form = new FormData();
  form.set('bucket', 'chat-images');
  form.set('fileName', 'ice.jpg');
  form.set('file', new Blob([new Uint8Array(await createPlainJpeg())], { type: 'image/jpeg' }), 'ice.jpg');
  // The first origin serves the HTTP requests of a visitor.
  const response = await fetch(`${visitor.origins[0]}/api/upload`, {
    method: 'POST',
    body: form,
    headers: { cookie: visitor.cookie },
  });
  if (response.status !== 201) throw new Error(`An upload was answered with ${response.status}`);
  return ((await response.json()) as { url: string }).url;
};
