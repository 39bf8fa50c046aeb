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
import { type DurableChatEvent, PersistedChatRepository } from '../infrastructure/persisted-chat.repository';
import { decodeEvent } from './chat-event.codec';

/** A message with all its versions. */
export interface TranscriptMessage {
  id: string;
  senderId: number;
  at: Date;
  messageType: MessageType;
  /** Oldest first. Versions that have expired are absent. */
  contents: string[];
}

export interface ChatTranscript {
  /** With the names shown in the chat; empty when these have expired. */
  participants: readonly Participant[];
  /** Oldest first. */
  messages: TranscriptMessage[];
  /** Number of messages of the chat that are not included. */
  omitted: number;
}

interface TranscriptRequest {
  /** Number of newest messages to include. */
  newestCount: number;
  /** Older messages to include as well; ids of other chats are ignored. */
  messageIds: readonly string[];
}

/** Entries per read until the newest messages are found. */
const PAGE_SIZE = 200;
/** Entries per read of older messages. */
const FURTHER_PAGE_SIZE = 1_000;

/**
 * Reads the messages of a chat with all their versions for a report. Redis has the stream of a chat until its end is
 * persisted; after that the chat is read from PostgreSQL. The newest messages are read backwards, page by page. Older
 * ones are looked up in PostgreSQL, which has them unless the worker is behind.
 */
@Injectable()
export class ChatTranscriptService {
  constructor(
    private readonly log: ChatLogRepository,
    private readonly persisted: PersistedChatRepository,
  ) {}

  async read(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    return (await this.readLive(sessionId, request)) ?? this.readPersisted(sessionId, request);
  }

  /** @returns null when Redis does not have the stream, or deletes it while it is read. */
  private async readLive(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript | null> {
    const { version, first, last } = await this.log.readEdges(sessionId);
    if (!first || !last) return null;
    const collector = new TranscriptCollector(request);
    let remaining = version;
    const pages = this.log.readPagesBackwards(sessionId, last.id, () =>
      collector.hasNewest ? FURTHER_PAGE_SIZE : PAGE_SIZE,
    );
    for await (const page of pages) {
      for (const { id, text } of page) {
        collector.add(decodeEvent(text).event, { id, seq: remaining });
        remaining -= 1;
      }
      if (collector.hasNewest && (await this.addPersisted(sessionId, remaining, collector))) remaining = 0;
      if (remaining === 0) break;
    }
    if (remaining > 0) return null;
    const started = decodeEvent(first.text).event;
    return collector.toTranscript(started?.type === 'ChatStarted' ? started.data.participants : []);
  }

  private async readPersisted(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    const streamId = buildChatStreamId(sessionId);
    const collector = new TranscriptCollector(request);
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const page = await this.persisted.readBackwards(streamId, before, PAGE_SIZE);
      for (const event of page) addDurable(collector, event);
      before = page.at(-1)?.seq ?? 1;
      if (page.length < PAGE_SIZE) break;
      if (collector.hasNewest && (await this.addPersisted(sessionId, before - 1, collector))) break;
    }
    const first = await this.persisted.readFirst(streamId);
    const { participants = [] } = (first?.data ?? {}) as { participants?: readonly Participant[] };
    return collector.toTranscript(participants);
  }

  /**
   * Adds the messages among the first `eventCount` events of a chat, from PostgreSQL.
   * @returns false, with nothing added, when not all of these events are persisted.
   */
  private async addPersisted(
    sessionId: string,
    eventCount: number,
    collector: TranscriptCollector,
  ): Promise<boolean> {
    const streamId = buildChatStreamId(sessionId);
    const messages = await this.persisted.countMessages(streamId, eventCount);
    if (messages === null) return false;
    const versions = await this.persisted.findVersions(streamId, eventCount, collector.missingIds);
    for (const event of versions) addDurable(collector, event);
    collector.skip(messages - versions.filter(({ type }) => type === 'MessageSent').length);
    return true;
  }
}

const addDurable = (collector: TranscriptCollector, { type, data, entryId, seq }: DurableChatEvent): void =>
  collector.add({ type, data } as unknown as RandomChatEvent, { id: entryId, seq });

/** Collects the messages of a chat from its events, which are added in reverse order. */
class TranscriptCollector {
  private readonly newestCount: number;
  private readonly missing: Set<string>;
  private readonly messages: TranscriptMessage[] = [];
  /** Edited contents by message id, newest first, of messages that are not reached yet. */
  private readonly edits = new Map<string, string[]>();
  private omitted = 0;

  constructor({ newestCount, messageIds }: TranscriptRequest) {
    this.newestCount = newestCount;
    this.missing = new Set(messageIds);
  }

  /** Whether the newest messages are found. The edits of a message follow it, so they are found too. */
  get hasNewest(): boolean {
    return this.messages.length >= this.newestCount;
  }

  /** Ids of older messages that are still to be found. */
  get missingIds(): string[] {
    return [...this.missing];
  }

  add(event: RandomChatEvent | null, position: EventPosition): void {
    if (event?.type === 'MessageEdited') {
      const { messageId, content } = event.data as { messageId: string; content?: string };
      const laterContents = this.edits.get(messageId) ?? [];
      if (content !== undefined) this.edits.set(messageId, [...laterContents, content]);
      return;
    }
    if (event?.type !== 'MessageSent') return;
    const isRequested = this.missing.delete(position.id);
    if (this.hasNewest && !isRequested) {
      this.skip(1);
      return;
    }
    const { senderId, messageType, content } = event.data as { content?: string } & typeof event.data;
    const contents = [...(this.edits.get(position.id) ?? []), ...(content === undefined ? [] : [content])];
    const at = new Date(parseOccurredAtMs(position));
    this.messages.push({ id: position.id, senderId, at, messageType, contents: contents.reverse() });
  }

  /** Counts messages that are not included. */
  skip(count: number): void {
    this.omitted += count;
  }

  toTranscript(participants: readonly Participant[]): ChatTranscript {
    return { participants, messages: this.messages.toReversed(), omitted: this.omitted };
  }
}
