// Uses real PostgreSQL and Redis, with two api replicas over HTTP and sockets. The long form (THAW_TEST_LONG=1) has
// strict bounds and needs an idle machine. The bounds of the short form are wide: only a wrong algorithm exceeds them.
import {
  createModerator,
  FACTS,
  formatHoursFromNow,
  createModeratorApi,
  reportUser,
} from '../../testing/moderation.fixture';
import { appendMessages } from '../../testing/filled-chat.fixture';
import { persistChat } from '../../testing/persisted-chat.fixture';
import { startChat } from '../../testing/random-chat.fixture';
import { fileReport } from '../../testing/reports.fixture';
import { quickChatSettings, startTestStack, type TestStack } from '../../testing/test-stack.harness';
import type { ThawVisitor } from '../../testing/thaw.client';
import { ChatTranscriptService } from '../random-chat/application/chat-transcript.service';

jest.setTimeout(120_000);

const isLongRun = process.env.THAW_TEST_LONG === '1';
// After each decision the next case is read, so there are more cases than decisions. A chat can have 20,000 events.
const sizes = isLongRun
  ? { chats: 40, messages: 19_990, cases: 200, decisions: 21 }
  : { chats: 6, messages: 3_000, cases: 10, decisions: 5 };
/** The longest times allowed, in ms. */
const bounds = isLongRun
  ? { report: 60, reportOfOldMessage: 200, decision: 200 }
  : { report: 600, reportOfOldMessage: 600, decision: 600 };
const MESSAGES_OF_A_USUAL_CHAT = 60;
/** Returns the shortest time that `percent` of the times do not exceed; Infinity if there are no times. */
const findPercentile = (percent: number, times: readonly number[]): number => {
  const ascending = [...times].sort((one, other) => one - other);
  return ascending[Math.ceil((ascending.length * percent) / 100) - 1] ?? Infinity;
};
const printInLongRun = (text: string): void => {
  if (isLongRun) process.stdout.write(`${text}\n`);
};

describe('times of reports and decisions', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(2, quickChatSettings);
  });
  afterEach(() => stack.closeSockets());
  afterAll(() => stack.close());

  /** A chat with messages of Bob, in Redis and in PostgreSQL. */
  const createFilledChat = async (messageCount: number) => {
    const chat = await startChat(stack);
    const contents = Array.from(
      { length: messageCount },
      (_, index) => `message ${index} with some more words in it`,
    );
    await appendMessages(stack.replicas[0]!, chat.sessionId, chat.bob.user.id, contents);
    await persistChat(stack.replicas[0]!, chat.sessionId);
    return chat;
  };
  /** Files a report. @returns the time that this took, in ms. */
  const measureReportMs = async (
    reporter: ThawVisitor,
    target: ThawVisitor,
    fields: Record<string, unknown>,
  ): Promise<number> => {
    const startedAt = performance.now();
    const { status } = await fileReport(reporter, target, fields);
    expect(status).toBe(201);
    return performance.now() - startedAt;
  };

  it(`a report takes at most ${bounds.report} ms at the 95th percentile`, async () => {
    const times: number[] = [];
    for (let index = 0; index < sizes.chats; index += 1) {
      const { ada, bob, sessionId } = await createFilledChat(MESSAGES_OF_A_USUAL_CHAT);
      const time = await measureReportMs(ada, bob, { sessionId, words: 'did not stop' });
      // The first report also compiles code and opens connections.
      if (index > 0) times.push(time);
    }
    const [p50, p95] = [findPercentile(50, times), findPercentile(95, times)];
    printInLongRun(`report: p50 ${p50.toFixed(0)} ms, p95 ${p95.toFixed(0)} ms`);
    expect(p95).toBeLessThanOrEqual(bounds.report);
  });

  it(`a report of the oldest of ${sizes.messages} messages takes at most ${bounds.reportOfOldMessage} ms`, async () => {
    const { ada, bob, sessionId } = await createFilledChat(sizes.messages);
    const { messages } = await stack.replicas[0]!.app.get(ChatTranscriptService).read(sessionId, {
      newestCount: sizes.messages,
      messageIds: [],
    });
    const messageIds = [messages[0]!.id];
    // A user can report a chat only once, so the second report is by the partner. It may mark messages of its reporter.
    const times = [
      await measureReportMs(ada, bob, { sessionId, messageIds }),
      await measureReportMs(bob, ada, { sessionId, messageIds }),
    ];
    printInLongRun(`report with an old message: ${times.map((time) => time.toFixed(0)).join(', ')} ms`);
    expect(Math.max(...times)).toBeLessThanOrEqual(bounds.reportOfOldMessage);
  });

  it(`a decision and reading the next case together take at most ${bounds.decision} ms at the median`, async () => {
    const [replica] = stack.replicas;
    const moderator = createModeratorApi(await createModerator(stack));
    const reporter = await stack.createVisitor(0);
    const targets = await Promise.all(Array.from({ length: sizes.cases }, () => stack.createVisitor(0)));
    const caseIds: number[] = [];
    for (const target of targets) caseIds.push((await reportUser(replica!, reporter, target)).caseId);
    const times: number[] = [];
    for (let index = 0; index < sizes.decisions; index += 1) {
      const [caseId, nextCaseId] = caseIds.slice(index, index + 2) as [number, number];
      const { version } = await moderator.read(caseId);
      const startedAt = performance.now();
      const { status } = await moderator.decide(caseId, {
        version,
        outcome: 'suspended',
        rule: 'no_unwanted_sexual',
        facts: FACTS,
        until: formatHoursFromNow(24),
      });
      await moderator.read(nextCaseId);
      times.push(performance.now() - startedAt);
      expect(status).toBe(200);
    }
    const p50 = findPercentile(50, times);
    printInLongRun(`decision and next case: p50 ${p50.toFixed(0)} ms`);
    expect(p50).toBeLessThanOrEqual(bounds.decision);
  });
});
