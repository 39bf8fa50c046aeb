import { Logger } from '@nestjs/common';
import { findQuestionById } from '@thaw/contract/questions';
import type { Question, Reactions } from '@thaw/contract/random-chat';
import type { ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';
import type { EventPosition, Participant, RandomChatEvent } from '../domain/random-chat.events';
import {
  type ChatMessage,
  evolve,
  createChatState,
  findMessage,
  type RandomChatState,
  type Rates,
} from '../domain/random-chat.state';
import { type DecodedEvent, decodeEvent } from './chat-event.codec';
import { buildAdvancedFrame, type ChatView, toEndData, buildFrame, toReactions } from './chat-frame.mapper';
import type { ChatSummary, EndFrame } from './chat-summary.mapper';

const logger = new Logger('FoldedChat');

/**
 * The entries of a chat's Redis stream, one for each event, and the state folded from them. Renders the frame of each
 * entry. Versions count from 1, so the entry at index n has the version n + 1. Clients see the version as `seq`.
 */
export class FoldedChat implements ChatSummary, ChatView {
  protected state: RandomChatState;
  protected readonly entries: ChatLogEntry[] = [];
  /**
   * By the `seq` of each reaction event: all reactions to the event's message directly after the event. A client that
   * resumes the chat is sent the frames of past events, and each frame shows the reactions of its time.
   */
  private readonly reactionsAfterEvent = new Map<number, ChatMessage['reactions']>();

  /** @param rates the rate limit of each action */
  constructor(
    readonly sessionId: string,
    rates: Rates,
  ) {
    this.state = createChatState(rates);
  }

  get version(): number {
    return this.state.version;
  }

  get isEnded(): boolean {
    return this.state.phase === 'ended';
  }

  get participants(): readonly Participant[] {
    return this.state.participants;
  }

  get userIds(): number[] {
    return this.state.participants.map(({ id }) => id);
  }

  get endFrame(): EndFrame | null {
    const { ended } = this.state;
    return ended && { event: 'chat_skipped', data: toEndData(this.sessionId, ended.seq, ended) };
  }

  getReactions(messageId: string): Reactions {
    return toReactions(findMessage(this.state, messageId)?.reactions);
  }

  /** The question of the game `gameId`; undefined unless that game is in progress. */
  findQuestion(gameId: string): Question | undefined {
    const { game } = this.state;
    return game?.gameId === gameId ? findQuestionById(game.questionId) : undefined;
  }

  hasParticipant(userId: number): boolean {
    return this.userIds.includes(userId);
  }

  /** Size of the events after a version, in bytes of their serialised form. */
  measureBytesAfter(version: number): number {
    if (version === 0) return this.state.bytes; // the known total, without a loop over the whole chat
    // The entry after the version is at the index `version`.
    return this.entries.slice(version).reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);
  }

  /** The serialised frame of the event at `seq` for one participant; '' after the last event. */
  renderPastFrame(seq: number, viewerId: number): string {
    const entry = this.entries[seq - 1];
    if (!entry) return '';
    const { event } = decodeEvent(entry.text);
    const reactions = this.reactionsAfterEvent.get(seq);
    const pastView: ChatView = {
      sessionId: this.sessionId,
      participants: this.participants,
      // Called only for reaction events, with the id of the event's own message.
      getReactions: () => toReactions(reactions),
    };
    return this.serialise(event, { id: entry.id, seq }, viewerId, pastView);
  }

  /**
   * Adds the next entry.
   * @param decoded the result of `decodeEvent`, if the caller has it already
   * @returns the decoded entry. Its `event` is null if it could not be decoded or folded; the entry then only advances
   * the version.
   */
  protected add(entry: ChatLogEntry, decoded: DecodedEvent = decodeEvent(entry.text)): DecodedEvent {
    this.entries.push(entry);
    const position = { id: entry.id, seq: this.entries.length };
    const event = this.fold(decoded.event, position, Buffer.byteLength(entry.text));
    return { ...decoded, event };
  }

  private fold(
    event: RandomChatEvent | null,
    position: EventPosition,
    bytes: number,
  ): RandomChatEvent | null {
    try {
      this.state = evolve(this.state, event, position, bytes);
    } catch (error) {
      // `evolve` changes the state in place, and the version first, so the version is right even after an error.
      logFailure(`An event of type ${event?.type} could not be read`, error);
      return null;
    }
    if (event?.type === 'ReactionAdded' || event?.type === 'ReactionRemoved') {
      const message = findMessage(this.state, event.data.messageId);
      if (message) this.reactionsAfterEvent.set(position.seq, message.reactions);
    }
    return event;
  }

  /**
   * Serialises the frame of an event. If that fails, the result is a `session_advanced` frame, so that the client can
   * continue with later events.
   */
  serialise(
    event: RandomChatEvent | null,
    position: EventPosition,
    viewerId: number,
    view: ChatView = this,
  ): string {
    try {
      return JSON.stringify(buildFrame(view, event, position, viewerId));
    } catch (error) {
      logFailure(`An event of type ${event?.type} could not be shown`, error);
      return JSON.stringify(buildAdvancedFrame(this.sessionId, position.seq));
    }
  }
}

const logFailure = (message: string, error: unknown): void =>
  logger.error(`${message}: ${error instanceof Error ? (error.stack ?? error.message) : 'unknown'}`);
