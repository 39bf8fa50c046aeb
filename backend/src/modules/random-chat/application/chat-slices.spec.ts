/** A long chat must not block the event loop of its replica: it is read and resumed in short slices. */
import { randomUUID } from 'node:crypto';
import { MetricsRegistry } from '../../../platform/observability/metrics.registry';
import type { ChatLogRepository, ChatLogEntry } from '../../../platform/hot-log/chat-log.repository';
import type { EventLoopLimiter } from '../../../platform/realtime/event-loop.limiter';
import type { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { MAX_BYTES, MAX_EVENTS } from '../domain/random-chat.decider';
import type { RandomChatEvent } from '../domain/random-chat.events';
import { encodeEvent } from './chat-event.codec';
import { countResumePages, sendMissedEvents } from './chat-resume.functions';
import { ChatMetricsRegistry } from './chat-metrics.registry';
import { LiveChat, type LiveChatServices } from './live-chat.model';

const LONGEST_SLICE_MS = 10;
/** The fastest of several attempts counts, because garbage collection can slow down any of them. */
const ATTEMPTS = 3;
/** Bytes of an event with 2,000 emojis of 4 bytes each, rounded up. */
const LARGEST_EVENT_BYTES = 8_200;
/** The page size of ChatLogRepository. */
const PAGE_ENTRIES = 128;

const rate = { intervalMs: 1, burst: 1_000 };
const participants = [1, 2].map((id) => ({ id, username: `user ${id}`, avatar: null }));

const toEntries = (events: readonly RandomChatEvent[]): ChatLogEntry[] =>
  events.map((event, index) => ({
    id: `${1_000 + index}-0`,
    text: encodeEvent({ eventId: randomUUID(), event }),
  }));

const started: RandomChatEvent = {
  type: 'ChatStarted',
  data: { userIds: [1, 2], participants: participants as never },
};
const createMessage = (content: string): RandomChatEvent => ({
  type: 'MessageSent',
  data: { senderId: 1, content, messageType: 'text', replyTo: null, clientId: null },
});
const createReaction = (index: number): RandomChatEvent => ({
  type: index % 2 === 0 ? 'ReactionAdded' : 'ReactionRemoved',
  data: { messageId: '1001-0', emoji: '🔥', userId: 1 },
});

/** CPU time of all threads of this process, in ms: independent of other programs on the machine. */
const readCpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** Measures the CPU time of each slice of work, i.e. between two returns to the event loop. */
class Slices {
  readonly ms: number[] = [];
  private beganAt = readCpuMs();

  begin(): void {
    this.beganAt = readCpuMs();
  }

  end(): void {
    this.ms.push(readCpuMs() - this.beganAt);
  }
}

const readSlices = async (entries: readonly ChatLogEntry[]): Promise<{ chat: LiveChat; slices: Slices }> => {
  const slices = new Slices();
  const log = {
    async *readPages() {
      for (let start = 0; start < entries.length; start += PAGE_ENTRIES) {
        slices.begin();
        yield entries.slice(start, start + PAGE_ENTRIES);
        slices.end();
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
  return { chat, slices };
};

const resumeSlices = async (chat: LiveChat): Promise<{ slices: Slices; sent: number }> => {
  const slices = new Slices();
  let sent = 0;
  const connection = {
    identity: { userId: 2 },
    isOpen: true,
    send: () => (sent += 1),
    waitUntilDrained: () => Promise.resolve(slices.end()),
  };
  const eventLoop = { waitForIteration: () => Promise.resolve(slices.begin()) };
  slices.begin();
  await sendMissedEvents(
    chat,
    connection as unknown as SocketConnection,
    0,
    eventLoop as unknown as EventLoopLimiter,
  );
  slices.end();
  return { slices, sent };
};

/** The minimum duration of each slice over several attempts. */
const measureFastest = async (attempt: () => Promise<number[]>): Promise<number[]> => {
  let fastest: number[] = [];
  for (let count = 0; count < ATTEMPTS; count += 1) {
    const slices = await attempt();
    fastest = slices.map((ms, index) => Math.min(ms, fastest[index] ?? Infinity));
  }
  return fastest;
};

describe.each<[what: string, events: RandomChatEvent[]]>([
  [
    'of the largest messages',
    [
      started,
      ...Array.from({ length: Math.floor(MAX_BYTES / LARGEST_EVENT_BYTES) }, () =>
        createMessage('🧊'.repeat(2_000)),
      ),
    ],
  ],
  ['of short messages', [started, ...Array.from({ length: MAX_EVENTS - 1 }, () => createMessage('hello'))]],
  [
    'of one message and reactions to it',
    [
      started,
      createMessage('hello'),
      ...Array.from({ length: MAX_EVENTS - 2 }, (_, index) => createReaction(index)),
    ],
  ],
])('a full chat %s', (_, events) => {
  const entries = toEntries(events);

  it('is read without blocking the event loop for more than 10 ms', async () => {
    const fastest = await measureFastest(async () => (await readSlices(entries)).slices.ms);
    expect(fastest).toHaveLength(Math.ceil(entries.length / PAGE_ENTRIES));
    expect(Math.max(...fastest)).toBeLessThanOrEqual(LONGEST_SLICE_MS);
  });

  it('is resumed without blocking the event loop for more than 10 ms', async () => {
    const { chat } = await readSlices(entries);
    const fastest = await measureFastest(async () => {
      const { slices, sent } = await resumeSlices(chat);
      expect(slices.ms).toHaveLength(sent);
      return slices.ms;
    });
    expect(fastest.length).toBeGreaterThan(10);
    expect(Math.max(...fastest)).toBeLessThanOrEqual(LONGEST_SLICE_MS);
  });
});

it('counts the pages of a resume in bytes, also after events that the client has seen', async () => {
  const messages = Array.from({ length: 100 }, () => createMessage('語'.repeat(2_000)));
  const { chat } = await readSlices(toEntries([started, ...messages]));
  const pagesOfAll = countResumePages(chat, 0);
  expect(pagesOfAll).toBeGreaterThan(5);
  expect(countResumePages(chat, 1)).toBe(pagesOfAll);
});
