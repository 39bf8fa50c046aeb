/**
 * A long chat must not block the event loop of its replica. Its reads and resumes are split into slices: pieces of work
 * between two returns to the event loop.
 */
import { randomUUID } from 'node:crypto';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import type { ChatLogRepository, ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';
import type { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { MAX_CHAT_BYTES, MAX_CHAT_EVENTS } from '../domain/random-chat.decider';
import type { Participant, RandomChatEvent } from '../domain/random-chat.events';
import { encodeEvent } from './chat-event.codec';
import { countResumePages, sendMissedEvents } from './chat-resume.functions';
import { ChatMetricsRegistry } from './chat-metrics.registry';
import { LiveChat, type LiveChatServices } from './live-chat.model';

/** The longest time for which one chat may keep the other users of its replica waiting. */
const MAX_SLICE_MS = 10;
/** Each slice is measured this often. The fastest run counts, because garbage collection can slow down any of them. */
const ATTEMPTS = 3;
/** Bytes of an event with 2,000 emojis of 4 bytes each, rounded up. */
const LARGEST_EVENT_BYTES = 8_200;
/** Entries per read: the page size of ChatLogRepository. */
const PAGE_ENTRIES = 128;
/** Milliseconds in the id of the first entry. The id of the next entry is one higher. */
const FIRST_ENTRY_MS = 1_000;
/** Id of the second entry, which is the first message. */
const FIRST_MESSAGE_ID = `${FIRST_ENTRY_MS + 1}-0`;

/** An arbitrary rate limit: it applies to commands, and these tests execute none. */
const rate = { intervalMs: 1, burst: 1_000 };
const createParticipant = (id: number): Participant => ({ id, username: `user ${id}`, avatar: null });

const toEntries = (events: readonly RandomChatEvent[]): ChatLogEntry[] =>
  events.map((event, index) => ({
    id: `${FIRST_ENTRY_MS + index}-0`,
    text: encodeEvent({ eventId: randomUUID(), event }),
  }));

const chatStarted: RandomChatEvent = {
  type: 'ChatStarted',
  data: { userIds: [1, 2], participants: [createParticipant(1), createParticipant(2)] },
};
const buildMessageSent = (content: string): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId: 1, content, messageType: 'text', replyTo: null, clientId: null },
});
/** Builds a reaction to the first message, or its removal, in turn. */
const buildReactionChange = (index: number): RandomChatEvent => ({
  type: index % 2 === 0 ? 'ReactionAdded' : 'ReactionRemoved',
  data: { messageId: FIRST_MESSAGE_ID, emoji: '🔥', userId: 1 },
});

/** CPU time of all threads of this process, in ms: independent of other programs on the machine. */
const readCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Measures the CPU time of each slice of work. */
class SliceTimer {
  readonly sliceMs: number[] = [];
  private cpuMsAtBegin = 0;

  begin(): void {
    this.cpuMsAtBegin = readCpuMs();
  }

  end(): void {
    this.sliceMs.push(readCpuMs() - this.cpuMsAtBegin);
  }
}

/** Reads a chat from its entries, and measures the processing of each page of entries. */
const readChat = async (entries: readonly ChatLogEntry[]): Promise<{ chat: LiveChat; sliceMs: number[] }> => {
  const timer = new SliceTimer();
  const log = {
    async *readPages() {
      for (let start = 0; start < entries.length; start += PAGE_ENTRIES) {
        timer.begin();
        // The chat processes the page before it requests the next one, which continues this loop.
        yield entries.slice(start, start + PAGE_ENTRIES);
        timer.end();
      }
    },
  };
  const services: LiveChatServices = {
    log: log as unknown as ChatLogRepository,
    metrics: new ChatMetricsRegistry(new MetricsRegistry()),
    rates: { message: rate, edit: rate, reaction: rate, game: rate },
    requireMemory: () => undefined,
    retainTail: () => undefined,
  };
  const chat = new LiveChat('a session', services);
  await chat.catchUp();
  return { chat, sliceMs: timer.sliceMs };
};

/** Sends the whole chat to a socket, and measures the building of each page. */
const resumeChat = async (chat: LiveChat): Promise<{ sliceMs: number[]; sentPages: number }> => {
  const timer = new SliceTimer();
  let sentPages = 0;
  // After each page but the last, the resume calls `waitUntilDrained` and then `waitForIteration`.
  const connection = {
    identity: { userId: 2 },
    isOpen: true,
    send: () => (sentPages += 1),
    waitUntilDrained: async () => timer.end(),
  };
  const eventLoop = { waitForIteration: async () => timer.begin() };
  timer.begin();
  await sendMissedEvents(
    chat,
    connection as unknown as SocketConnection,
    0,
    eventLoop as unknown as EventLoopLimiter,
  );
  timer.end();
  return { sliceMs: timer.sliceMs, sentPages };
};

/** @returns for each slice, the minimum of its durations over several attempts. */
const measureFastest = async (measureSlices: () => Promise<number[]>): Promise<number[]> => {
  let fastestMs: number[] = [];
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const sliceMs = await measureSlices();
    fastestMs = sliceMs.map((ms, index) => Math.min(ms, fastestMs[index] ?? Infinity));
  }
  return fastestMs;
};

/** Starts a chat and sends the same message `count` times. */
const buildChatOfMessages = (count: number, content: string): RandomChatEvent[] => [
  chatStarted,
  ...Array.from({ length: count }, () => buildMessageSent(content)),
];
const largestMessages = buildChatOfMessages(
  Math.floor(MAX_CHAT_BYTES / LARGEST_EVENT_BYTES),
  '🧊'.repeat(2_000),
);
const shortMessages = buildChatOfMessages(MAX_CHAT_EVENTS - 1, 'hello');
const manyReactions = [
  ...buildChatOfMessages(1, 'hello'),
  ...Array.from({ length: MAX_CHAT_EVENTS - 2 }, (_, index) => buildReactionChange(index)),
];

describe.each<[description: string, events: RandomChatEvent[]]>([
  ['of the largest messages', largestMessages],
  ['of short messages', shortMessages],
  ['of one message and reactions to it', manyReactions],
])('a full chat %s', (_, events) => {
  const entries = toEntries(events);

  it('is read without blocking the event loop for more than 10 ms', async () => {
    const fastestMs = await measureFastest(async () => (await readChat(entries)).sliceMs);
    const pageCount = Math.ceil(entries.length / PAGE_ENTRIES);
    expect(fastestMs).toHaveLength(pageCount);
    expect(Math.max(...fastestMs)).toBeLessThanOrEqual(MAX_SLICE_MS);
  });

  it('is resumed without blocking the event loop for more than 10 ms', async () => {
    const { chat } = await readChat(entries);
    const fastestMs = await measureFastest(async () => {
      const { sliceMs, sentPages } = await resumeChat(chat);
      expect(sliceMs).toHaveLength(sentPages); // each page was built in a slice of its own
      return sliceMs;
    });
    // A full chat is much larger than a page, so a resume in few slices would not have been split.
    expect(fastestMs.length).toBeGreaterThan(10);
    expect(Math.max(...fastestMs)).toBeLessThanOrEqual(MAX_SLICE_MS);
  });
});

it('counts the pages of a resume by the bytes of the events that the client has not seen', async () => {
  // 200,000 characters of 3 bytes each. A page has room for about 63,000 bytes, so the chat needs about ten pages. If
  // characters were counted instead of bytes, the result would be four.
  const { chat } = await readChat(toEntries(buildChatOfMessages(100, '語'.repeat(2_000))));
  const pagesForNewClient = countResumePages(chat, 0);
  expect(pagesForNewClient).toBeGreaterThan(5);
  // The start of the chat is too small to change the number of pages.
  const pagesAfterStart = countResumePages(chat, 1);
  expect(pagesAfterStart).toBe(pagesForNewClient);
});
