// Runs against real api replicas, PostgreSQL, Redis and sockets; a TCP relay simulates a slow connection.
import { limits } from '@thaw/contract/limits';
import { estimateSlowdown } from '../../../testing/processor-load.probe';
import { appendMessages } from '../../../testing/filled-chat.fixture';
import { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { ThawSocket, type ThawVisitor, matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { type ThrottledLink, startThrottledLink } from '../../../testing/throttled-link.proxy';
import { until, untilWithin } from '../../../testing/until.functions';
import { MAX_BYTES } from '../domain/random-chat.decider';

jest.setTimeout(180_000);

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
const MBIT = 1_000_000;
/** Bytes of an event around its content, roughly. */
const EVENT_OVERHEAD_BYTES = 200;
/** Bytes of an ordinary page, which is nearly full: the limit is 64 KB. */
const PAGE_BYTES = 63 * 1024;

type ResumePage = { seq: number; last: boolean; events: { event: string; data: { seq: number } }[] };

describe('the resume of a long chat', () => {
  let stack: TestStack;

  beforeAll(async () => {
    stack = await startTestStack(1, { REMATCH_COOLDOWN_S: '0' });
  });
  const links: ThrottledLink[] = [];
  afterEach(async () => {
    jest.restoreAllMocks();
    await Promise.all(links.splice(0).map((link) => link.close()));
    await stack.closeSockets();
  });
  afterAll(() => stack.close());

  const getOrigin = (): string => stack.origins[0]!;
  /** Starts a chat and appends messages of about `bytes` bytes in total. */
  const startLongChat = async (bytes: number, messageBytes = 2_000) => {
    const chat = await matchNewVisitors([getOrigin(), getOrigin()]);
    const count = Math.floor(bytes / (messageBytes + EVENT_OVERHEAD_BYTES));
    const contents = Array.from({ length: count }, (_, index) => `${index} `.padEnd(messageBytes, 'x'));
    const { version } = await appendMessages(stack.replicas[0]!, chat.sessionId, chat.ada.user.id, contents);
    await untilWithin(60_000, () => chat.bobSocket.getLastSeen(chat.sessionId) === version);
    return { ...chat, version };
  };
  const readPages = (socket: ThawSocket): ResumePage[] =>
    socket.all('session_resumed') as unknown as ResumePage[];
  const listSeqs = (socket: ThawSocket): number[] =>
    socket.frames.flatMap(({ event, data }) => {
      if (event === 'session_resumed')
        return (data as unknown as ResumePage).events.map(({ data: { seq } }) => seq);
      return event !== 'ack' && typeof data?.seq === 'number' ? [data.seq] : [];
    });
  const listNumbersTo = (version: number, from = 1): number[] =>
    Array.from({ length: version - from + 1 }, (_, index) => from + index);
  /** Another user pings during `work`. @returns the 99th percentile of the response times, in ms */
  const measurePingsDuring = async (work: Promise<unknown>): Promise<number> => {
    const socket = await (await stack.createVisitor(0)).openSocket();
    let isOver = false;
    const times: number[] = [];
    const settled = work.finally(() => (isOver = true));
    while (!isOver) {
      const askedAt = performance.now();
      await socket.ask('ping', {});
      times.push(performance.now() - askedAt);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await settled;
    times.sort((a, b) => a - b);
    return times[Math.ceil(times.length * 0.99) - 1] ?? Infinity;
  };
  /** A socket of the user over a connection of `bitsPerSecond`, whose resume has started. */
  const resumeOver = async (
    { user, cookie }: ThawVisitor,
    bitsPerSecond: number,
    lastSeen?: { sessionId: string; seq: number },
  ): Promise<ThawSocket> => {
    const link = await startThrottledLink(getOrigin(), bitsPerSecond);
    links.push(link);
    const socket = await ThawSocket.open(`${link.origin.replace('http', 'ws')}/ws`, { cookie }, user.id);
    await socket.request('authenticate', { userId: user.id, lastSeen });
    return socket;
  };

  const cases: [description: string, bytes: number, messageBytes: number, mbits: number][] = isLongRun
    ? [
        ['a chat that is full of long messages, at 10 Mbit/s', MAX_BYTES, 2_000, 10],
        ['a chat that is full of short messages, at 10 Mbit/s', 19_000 * 210, 10, 10],
        ['a chat of 1 MiB, at 1 Mbit/s', MIB, 2_000, 1],
      ]
    : [['a chat of 1 MiB, at 10 Mbit/s', MIB, 2_000, 10]];
  it.each(cases)(
    'sends %s completely, and does not delay replies to pings of other users',
    async (_description, bytes, messageBytes, mbits) => {
      const { bob, version } = await startLongChat(bytes, messageBytes);
      const socket = await resumeOver(bob, mbits * MBIT);
      const end = untilWithin(120_000, () => readPages(socket).at(-1)?.last);
      const p99 = await measurePingsDuring(end);
      expect(listSeqs(socket)).toEqual(listNumbersTo(version));
      for (const page of readPages(socket)) {
        const size = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: page }));
        expect(size).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
      }
      expect(p99).toBeLessThanOrEqual(50 * estimateSlowdown());
    },
  );

  it('sends events in order while messages arrive, and continues with live events without a gap', async () => {
    const { bob, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    const socket = await resumeOver(bob, 20 * MBIT);
    let sentCount = 0;
    do {
      await adaSocket.request('random_message', textMessage(sessionId, `live ${sentCount}`));
      sentCount += 1;
    } while (!readPages(socket).at(-1)?.last);
    await adaSocket.request('random_message', textMessage(sessionId, 'and after'));
    await until(() => listSeqs(socket).includes(version + sentCount + 1));
    expect(listSeqs(socket)).toEqual(listNumbersTo(version + sentCount + 1));
    expect(readPages(socket).filter(({ last }) => last)).toHaveLength(1);
  });

  it('sends events in order when a client requests a resume on an open socket because of a gap', async () => {
    const { bob, bobSocket, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    bobSocket.frames.length = 0;
    bobSocket.send({ event: 'authenticate', data: { userId: bob.user.id, lastSeen: { sessionId, seq: 1 } } });
    let sentCount = 0;
    do {
      await adaSocket.request('random_message', textMessage(sessionId, `live ${sentCount}`));
      sentCount += 1;
    } while (!readPages(bobSocket).at(-1)?.last);
    await until(() => listSeqs(bobSocket).includes(version + sentCount));
    // Events sent before the frame was handled precede the first page.
    const first = bobSocket.frames.findIndex(({ event }) => event === 'session_resumed');
    bobSocket.frames.splice(0, first);
    expect(listSeqs(bobSocket)).toEqual(listNumbersTo(version + sentCount, 2));
  });

  it('continues after the last page received when the connection is lost', async () => {
    const { bob, version, sessionId } = await startLongChat(MIB / 2);
    const seen: number[] = [];
    for (let rounds = 0; seen.at(-1) !== version; rounds += 1) {
      expect(rounds).toBeLessThan(10);
      const lastSeen = seen.length > 0 ? { sessionId, seq: seen.at(-1)! } : undefined;
      const socket = await resumeOver(bob, 10 * MBIT, lastSeen);
      await until(() => readPages(socket).length >= 3 || readPages(socket).at(-1)?.last);
      await socket.cut();
      expect(readPages(socket).map(({ seq }) => seq)).toEqual(
        readPages(socket).map(
          ({ events }, index) => events.at(-1)?.data.seq ?? readPages(socket)[index]?.seq,
        ),
      );
      seen.push(...listSeqs(socket));
    }
    expect(seen).toEqual(listNumbersTo(version));
  });

  it('stops when its socket closes, and starts again on the next socket', async () => {
    const { bob, bobSocket, adaSocket, sessionId } = await startLongChat(MIB);
    await bobSocket.leave();
    const socket = await resumeOver(bob, MBIT);
    await until(() => readPages(socket).length > 0);
    await socket.cut();
    expect(await adaSocket.next('partner_connection', ({ state }) => state === 'reconnecting')).toMatchObject(
      {
        sessionId,
      },
    );
    const newSocket = await bob.openSocket();
    await until(() => readPages(newSocket).at(-1)?.last);
    expect(await newSocket.request('random_message', textMessage(sessionId, 'back'))).toHaveProperty('seq');
  });

  it('includes the end of a chat that ends during its resume', async () => {
    const { bob, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    // The chat ends between the first page and the second.
    jest.spyOn(SocketConnection.prototype, 'waitUntilDrained').mockImplementationOnce(async () => {
      await adaSocket.request('skip_chat', { sessionId });
    });
    const socket = await bob.openSocket();
    await until(() => readPages(socket).at(-1)?.last);
    expect(readPages(socket).at(-1)?.events.at(-1)).toMatchObject({ event: 'chat_skipped' });
    expect(listSeqs(socket)).toEqual(listNumbersTo(version + 1));
    await socket.request('join_queue', {});
    await socket.request('leave_queue', {});
    expect(socket.all('chat_skipped')).toEqual([]);
  });

  it('rate-limits the pages of resumes per user, but not a resume of one page', async () => {
    const limited = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const { bob, version, sessionId } = await startLongChat(MIB);
    const pages = Math.ceil((version * (2_000 + EVENT_OVERHEAD_BYTES)) / PAGE_BYTES);
    let refusals = 0;
    let resumes = 0;
    while (refusals === 0 && resumes < 100) {
      const socket = await bob.connect(limited.origin);
      const { event, data } = await socket.ask('authenticate', { userId: bob.user.id });
      if (event === 'error') {
        refusals += 1;
        expect(data).toMatchObject({ code: 'rate_limited' });
        expect(data.retryAfterMs).toBeGreaterThan(0);
        // The socket is still open, and may request a shorter resume.
        const lastSeen = { sessionId, seq: version - 5 };
        expect(await socket.ask('authenticate', { userId: bob.user.id, lastSeen })).toMatchObject({
          event: 'authenticated',
        });
        await until(() => readPages(socket).at(-1)?.last);
        expect(listSeqs(socket)).toEqual(listNumbersTo(version, version - 4));
      } else {
        resumes += 1;
        await until(() => readPages(socket).at(-1)?.last);
        await socket.leave();
      }
    }
    expect(refusals).toBe(1);
    // The limit is 600 pages, plus the pages refilled during the test.
    expect(resumes * pages).toBeGreaterThan(500);
    expect(resumes * pages).toBeLessThan(900);
  });
});
