import { Injectable } from '@nestjs/common';
import type { MessageType } from '@thaw/contract/scalars';
import { ChatLogRepository } from '../../../platform/hot-log/chat-log.repository';
import {
  chatStreamId,
  type EventPosition,
  occurredAtMs,
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
  /** As they were shown to each other; empty when that has expired. */
  participants: readonly Participant[];
  /** In order. */
  messages: TranscriptMessage[];
  /** Number of the chat's other messages. */
  omitted: number;
}

interface TranscriptRequest {
  /** The newest messages to include. */
  newest: number;
  /** Older messages to include; ids that are not those of messages of this chat are ignored. */
  messageIds: readonly string[];
}

/** Entries per read until the newest messages are found. */
const PAGE_SIZE = 200;
/** Entries per read while older messages are looked for, which may be far back. */
const SEARCH_PAGE_SIZE = 1_000;

/**
 * Reads the messages of a chat with all their versions, from Redis while it has the chat's stream, otherwise from
 * PostgreSQL: the stream stays in Redis until its end is persisted. Reads backwards, and no further than necessary.
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

  /** @returns null when Redis does not have the stream, or the stream has expired during the read. */
  private async readLive(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript | null> {
    const { version, first, last } = await this.log.readEdges(sessionId);
    if (!first || !last) return null;
    const marked = await this.log.find(sessionId, request.messageIds);
    const collector = new TranscriptCollector(
      request.newest,
      marked.filter(({ text }) => isMessage(decodeEvent(text).event)).map(({ id }) => id),
    );
    let remaining = version;
    const pages = this.log.readPagesBackwards(sessionId, last.id, () => collector.pageSize);
    for await (const page of pages) {
      for (const { id, text } of page) {
        if (!collector.isComplete) collector.add(decodeEvent(text).event, { id, seq: remaining });
        else if (isMessage(decodeEvent(text).event)) collector.skip();
        remaining -= 1;
      }
      if (!collector.isComplete) continue;
      // The messages before the page are usually in PostgreSQL, which counts them without a read of their contents.
      const earlier = await this.persisted.countMessages(chatStreamId(sessionId), remaining);
      if (earlier !== null) {
        collector.skip(earlier);
        remaining = 0;
        break;
      }
    }
    if (remaining > 0) return null;
    const started = decodeEvent(first.text).event;
    return collector.toTranscript(started?.type === 'ChatStarted' ? started.data.participants : []);
  }

  private async readPersisted(sessionId: string, request: TranscriptRequest): Promise<ChatTranscript> {
    const streamId = chatStreamId(sessionId);
    const collector = new TranscriptCollector(
      request.newest,
      await this.persisted.findMessageIds(streamId, request.messageIds),
    );
    for (let before = Number.MAX_SAFE_INTEGER; ;) {
      const { pageSize } = collector;
      const page = await this.persisted.readBackwards(streamId, before, pageSize);
      for (const event of page) {
        if (!collector.isComplete) collector.add(toEvent(event), { id: event.entryId, seq: event.seq });
        else if (event.type === 'MessageSent') collector.skip();
      }
      const last = page.at(-1);
      if (last && page.length === pageSize && !collector.isComplete) {
        before = last.seq;
        continue;
      }
      if (last) collector.skip((await this.persisted.countMessages(streamId, last.seq - 1)) ?? 0);
      const first = await this.persisted.readFirst(streamId);
      const { participants = [] } = (first?.data ?? {}) as { participants?: readonly Participant[] };
      return collector.toTranscript(participants);
    }
  }
}

const isMessage = (event: RandomChatEvent | null): boolean => event?.type === 'MessageSent';

const toEvent = ({ type, data }: DurableChatEvent): RandomChatEvent =>
  ({ type, data }) as unknown as RandomChatEvent;

/** Collects the messages of a chat from its events, which are added in reverse order. */
class TranscriptCollector {
  private readonly messages: TranscriptMessage[] = [];
  private readonly missingIds: Set<string>;
  /** Later versions of messages that are not reached yet, newest first. */
  private readonly edits = new Map<string, string[]>();
  private newestCount = 0;
  private omitted = 0;

  constructor(
    private readonly newest: number,
    markedIds: readonly string[],
  ) {
    this.missingIds = new Set(markedIds);
  }

  /** Whether all messages are found. All edits of a message follow it, so they are found too. */
  get isComplete(): boolean {
    return this.newestCount >= this.newest && this.missingIds.size === 0;
  }

  get pageSize(): number {
    return this.newestCount < this.newest ? PAGE_SIZE : SEARCH_PAGE_SIZE;
  }

  add(event: RandomChatEvent | null, position: EventPosition): void {
    if (event?.type === 'MessageEdited') {
      const { messageId, content } = event.data as { messageId: string; content?: string };
      if (content === undefined) return; // expired
      this.edits.set(messageId, [...(this.edits.get(messageId) ?? []), content]);
      return;
    }
    if (event?.type !== 'MessageSent') return;
    const isMarked = this.missingIds.delete(position.id);
    if (this.newestCount >= this.newest && !isMarked) {
      this.skip();
      return;
    }
    this.newestCount += 1;
    const { senderId, messageType, content } = event.data as { content?: string } & typeof event.data;
    const contents = [...(this.edits.get(position.id) ?? []), ...(content === undefined ? [] : [content])];
    const at = new Date(occurredAtMs(position));
    this.messages.push({ id: position.id, senderId, at, messageType, contents: contents.reverse() });
  }

  /** Counts messages that are not included. */
  skip(count = 1): void {
    this.omitted += count;
  }

  toTranscript(participants: readonly Participant[]): ChatTranscript {
    return { participants, messages: this.messages.toReversed(), omitted: this.omitted };
  }
}
