import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import {
  buildChatStreamId,
  type MessageEdited,
  type MessageSent,
  parseOccurredAtMs,
  type Participant,
  type RandomChatEvent,
} from '../domain/random-chat.events';
import {
  type PersistedChatEvent,
  PersistedChatRepository,
} from '../infrastructure/persisted-chat.repository';
import { decodeEvent } from './chat-event.codec';

/** A message with its original content and the contents after each edit. */
export interface TranscriptMessage {
  id: string;
  senderId: number;
  /** When the message was sent. */
  at: Date;
  messageType: MessageType;
  /** Oldest first. Contents that have expired (were erased some time after the chat) are absent. */
  contents: string[];
}

export interface ChatTranscript {
  /** The users as each was shown to the partner. Empty when their names have expired. */
  participants: readonly Participant[];
  /** Oldest first. */
  messages: TranscriptMessage[];
  /** Number of messages of the chat that the transcript does not include. */
  omitted: number;
}

interface TranscriptRequest {
  /** Number of newest messages to include. */
  newestCount: number;
  /** Ids of older messages to include as well; those of messages of other chats are ignored. */
  messageIds: readonly string[];
}

/** Events per read until the newest messages are found. */
const PAGE_SIZE = 200;
/** Events per read while only older messages are missing. They may be anywhere, so a read is larger. */
const OLDER_PAGE_SIZE = 1_000;

/**
 * Reads the messages of a chat, with all their contents. Redis has the stream of a chat until its end is persisted;
 * after that, the chat is read from PostgreSQL.
 *
 * The events are read backwards, page by page, until the newest messages are found. Older messages are then looked up
 * in PostgreSQL. If PostgreSQL lacks events, because the worker that writes them is behind, reading from Redis goes on.
 */
@Injectable()
export class ChatTranscriptService {
  constructor(
    private readonly log: ChatLogRepository,
    private readonly persisted: PersistedChatRepository,
  ) {}

  async read(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    return (await this.readFromRedis(sessionId, request)) ?? this.readFromPostgres(sessionId, request);
  }

  /** @returns null when Redis does not have the stream, or deletes it while it is read. */
  private async readFromRedis(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript | null> {
    const { version, first, last } = await this.log.readFirstAndLast(sessionId);
    if (!first || !last) return null;
    const firstEvent = decodeEvent(first.text).event;
    const participants = firstEvent?.type === 'ChatStarted' ? firstEvent.data.participants : [];
    const collector = new TranscriptCollector(request);
    const choosePageSize = () => (collector.hasNewest ? OLDER_PAGE_SIZE : PAGE_SIZE);
    // The version of a stream is its number of events. Events that were appended after the version was read make the
    // count negative; reading then goes on until the stream has no more pages.
    let unreadCount = version;
    for await (const page of this.log.readPagesBackwards(sessionId, last.id, choosePageSize)) {
      for (const { id, text } of page) collector.add(id, decodeEvent(text).event);
      unreadCount -= page.length;
      const isFullyRead = unreadCount === 0;
      if (isFullyRead || (await this.completeFromPostgres(sessionId, unreadCount, collector)))
        return collector.toTranscript(participants);
    }
    const wasDeleted = unreadCount > 0; // the whole stream, in the meantime
    return wasDeleted ? null : collector.toTranscript(participants);
  }

  private async readFromPostgres(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    const streamId = buildChatStreamId(sessionId);
    const collector = new TranscriptCollector(request);
    let beforeSeq = Number.MAX_SAFE_INTEGER; // the first page begins at the last event of the chat
    for (;;) {
      const page = await this.persisted.readBackwards(streamId, beforeSeq, PAGE_SIZE);
      for (const event of page) addPersistedEvent(collector, event);
      const oldest = page.at(-1);
      const isFullyRead = page.length < PAGE_SIZE;
      if (!oldest || isFullyRead) break;
      const unreadCount = oldest.seq - 1; // `seq` counts the events of a chat from 1
      if (await this.completeFromPostgres(sessionId, unreadCount, collector)) break;
      beforeSeq = oldest.seq;
    }
    const firstEvent = await this.persisted.readFirst(streamId);
    const participants = firstEvent?.data.participants as readonly Participant[] | undefined;
    return collector.toTranscript(participants ?? []);
  }

  /**
   * Completes a transcript that has the newest messages. Of the messages among the unread events, which are the first
   * `unreadCount` events of the chat, adds the requested ones and counts the others as omitted.
   * @returns false, with nothing added, while newest messages are missing or not all of these events are persisted.
   */
  private async completeFromPostgres(
    sessionId: string,
    unreadCount: number,
    collector: TranscriptCollector,
  ): Promise<boolean> {
    if (!collector.hasNewest) return false;
    const streamId = buildChatStreamId(sessionId);
    const messageCount = await this.persisted.countMessages(streamId, unreadCount);
    if (messageCount === null) return false;
    const events = await this.persisted.findWithEdits(streamId, unreadCount, collector.missingIds);
    for (const event of events) addPersistedEvent(collector, event);
    const addedCount = events.filter(({ type }) => type === 'MessageSent').length;
    collector.countOmitted(messageCount - addedCount);
    return true;
  }
}

/** Despite the cast, personal fields may be absent; `TranscriptCollector` allows for that. */
const addPersistedEvent = (
  collector: TranscriptCollector,
  { type, data, entryId }: PersistedChatEvent,
): void => collector.add(entryId, { type, data } as unknown as RandomChatEvent);

/** The data of an event whose content may have expired. */
type MayLackContent<Data> = Omit<Data, 'content'> & { content?: string };

/** Collects the messages of a chat from its events, which are added newest first. */
class TranscriptCollector {
  private readonly newestCount: number;
  /** Ids of requested messages that have not been added yet. */
  private readonly missing: Set<string>;
  /** Newest first. */
  private readonly messages: TranscriptMessage[] = [];
  /** Contents after edits, oldest first, by message id. The edits of a message are added before the message itself. */
  private readonly editedContents = new Map<string, string[]>();
  private omitted = 0;

  constructor({ newestCount, messageIds }: TranscriptRequest) {
    this.newestCount = newestCount;
    this.missing = new Set(messageIds);
  }

  /** Whether the newest messages have been added. Their edits are newer, so these have been added as well. */
  get hasNewest(): boolean {
    return this.messages.length >= this.newestCount;
  }

  get missingIds(): string[] {
    return [...this.missing];
  }

  /** @param id entry id of the event. */
  add(id: string, event: RandomChatEvent | null): void {
    if (event?.type === 'MessageEdited') this.addEdit(event.data);
    if (event?.type === 'MessageSent') this.addMessage(id, event.data);
  }

  countOmitted(count: number): void {
    this.omitted += count;
  }

  toTranscript(participants: readonly Participant[]): ChatTranscript {
    return { participants, messages: this.messages.toReversed(), omitted: this.omitted };
  }

  private addEdit({ messageId, content }: MayLackContent<MessageEdited['data']>): void {
    if (content === undefined) return;
    const laterContents = this.editedContents.get(messageId) ?? [];
    this.editedContents.set(messageId, [content, ...laterContents]);
  }

  private addMessage(
    id: string,
    { senderId, messageType, content }: MayLackContent<MessageSent['data']>,
  ): void {
    const isRequested = this.missing.delete(id);
    if (this.hasNewest && !isRequested) {
      this.countOmitted(1);
      return;
    }
    const laterContents = this.editedContents.get(id) ?? [];
    const contents = content === undefined ? laterContents : [content, ...laterContents];
    this.messages.push({ id, senderId, at: new Date(parseOccurredAtMs({ id })), messageType, contents });
  }
}
