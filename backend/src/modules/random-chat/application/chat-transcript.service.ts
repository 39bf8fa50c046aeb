import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import {
  buildChatStreamId,
  type EventPosition,
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

/** Entries per read until the newest messages are found. */
const PAGE_SIZE = 200;
/** Entries per read while only older messages are missing. They may be anywhere, so a read is larger. */
const OLDER_PAGE_SIZE = 1_000;

/**
 * Reads the messages of a chat, with all their contents, for a report. Redis has the stream of a chat until its end is
 * persisted; after that, the chat is read from PostgreSQL. Events are read backwards, page by page, until the newest
 * messages are found. Older messages are then looked up in PostgreSQL. While PostgreSQL lacks events of a chat that is
 * in Redis, because the worker that writes them is behind, reading from Redis continues.
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
    const collector = new TranscriptCollector(request);
    // Number of events that are not collected yet, at first all: the version of a stream is its number of events. They
    // are collected backwards, so it is the `seq` of the next one.
    let remainingCount = version;
    const pages = this.log.readPagesBackwards(sessionId, last.id, () =>
      collector.hasNewest ? OLDER_PAGE_SIZE : PAGE_SIZE,
    );
    for await (const page of pages) {
      for (const { id, text } of page) {
        collector.add(decodeEvent(text).event, { id, seq: remainingCount });
        remainingCount -= 1;
      }
      // As soon as only older messages are missing, PostgreSQL is asked for them.
      if (collector.hasNewest && (await this.addPersistedMessages(sessionId, remainingCount, collector)))
        remainingCount = 0; // PostgreSQL has covered the rest
      if (remainingCount === 0) break;
    }
    if (remainingCount > 0) return null;
    const firstEvent = decodeEvent(first.text).event;
    return collector.toTranscript(firstEvent?.type === 'ChatStarted' ? firstEvent.data.participants : []);
  }

  private async readFromPostgres(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    const streamId = buildChatStreamId(sessionId);
    const collector = new TranscriptCollector(request);
    let beforeSeq = Number.MAX_SAFE_INTEGER; // the first page begins at the last event of the chat
    for (;;) {
      const page = await this.persisted.readBackwards(streamId, beforeSeq, PAGE_SIZE);
      for (const event of page) addPersistedEvent(collector, event);
      const oldest = page.at(-1);
      if (!oldest || page.length < PAGE_SIZE) break;
      beforeSeq = oldest.seq;
      const remainingCount = oldest.seq - 1; // `seq` starts at 1
      if (collector.hasNewest && (await this.addPersistedMessages(sessionId, remainingCount, collector)))
        break;
    }
    const firstEvent = await this.persisted.readFirst(streamId);
    const { participants = [] } = (firstEvent?.data ?? {}) as { participants?: readonly Participant[] };
    return collector.toTranscript(participants);
  }

  /**
   * Completes a transcript from PostgreSQL: of the first `eventCount` events of a chat, adds the requested messages
   * that are still missing, and counts the others as omitted.
   * @returns false, with nothing added, when not all of these events are persisted.
   */
  private async addPersistedMessages(
    sessionId: string,
    eventCount: number,
    collector: TranscriptCollector,
  ): Promise<boolean> {
    const streamId = buildChatStreamId(sessionId);
    const messageCount = await this.persisted.countMessages(streamId, eventCount);
    if (messageCount === null) return false;
    const events = await this.persisted.findWithEdits(streamId, eventCount, collector.missingIds);
    for (const event of events) addPersistedEvent(collector, event);
    collector.countOmitted(messageCount - events.filter(({ type }) => type === 'MessageSent').length);
    return true;
  }
}

/** The cast ignores that personal fields may be absent; `TranscriptCollector.add` allows for that. */
const addPersistedEvent = (
  collector: TranscriptCollector,
  { type, data, entryId, seq }: PersistedChatEvent,
): void => collector.add({ type, data } as unknown as RandomChatEvent, { id: entryId, seq });

/** The data of an event whose content may have expired. */
type MayLackContent<Data> = Omit<Data, 'content'> & { content?: string };

/**
 * Collects the messages of a chat from its events, which are added in reverse order. Events from PostgreSQL lack
 * personal fields that have expired, such as `content`.
 */
class TranscriptCollector {
  private readonly newestCount: number;
  /** Ids of requested messages that have not been added yet. */
  private readonly missing: Set<string>;
  private readonly messages: TranscriptMessage[] = [];
  /** Edited contents, newest first, by message id. The edits of a message are added before the message itself. */
  private readonly edits = new Map<string, string[]>();
  private omitted = 0;

  constructor({ newestCount, messageIds }: TranscriptRequest) {
    this.newestCount = newestCount;
    this.missing = new Set(messageIds);
  }

  /** Whether the newest messages have been added, and with them their edits, which are newer. */
  get hasNewest(): boolean {
    return this.messages.length >= this.newestCount;
  }

  get missingIds(): string[] {
    return [...this.missing];
  }

  add(event: RandomChatEvent | null, position: EventPosition): void {
    if (event?.type === 'MessageEdited') {
      const { messageId, content } = event.data as MayLackContent<typeof event.data>;
      const laterContents = this.edits.get(messageId) ?? [];
      if (content !== undefined) this.edits.set(messageId, [...laterContents, content]);
      return;
    }
    if (event?.type !== 'MessageSent') return;
    const isRequested = this.missing.delete(position.id);
    if (this.hasNewest && !isRequested) {
      this.countOmitted(1);
      return;
    }
    const { senderId, messageType, content } = event.data as MayLackContent<typeof event.data>;
    // Newest first; the original content, if it has not expired, is the oldest.
    const contents = [...(this.edits.get(position.id) ?? []), ...(content === undefined ? [] : [content])];
    const at = new Date(parseOccurredAtMs(position));
    this.messages.push({ id: position.id, senderId, at, messageType, contents: contents.reverse() });
  }

  countOmitted(count: number): void {
    this.omitted += count;
  }

  toTranscript(participants: readonly Participant[]): ChatTranscript {
    return { participants, messages: this.messages.toReversed(), omitted: this.omitted };
  }
}
