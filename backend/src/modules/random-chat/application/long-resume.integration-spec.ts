// Runs against real api replicas, PostgreSQL, Redis and sockets; a TCP relay simulates a slow connection. Of the two
// ways to send a frame, `request` throws when the answer is an error, and `ask` returns it.
import { limits } from '@thaw/contract/limits';
import { estimateCpuSlowdown } from '../../../testing/processor-load.probe';
import { appendMessages } from '../../../testing/filled-chat.fixture';
import { SocketConnection } from '../../../platform/realtime/socket-connection.model';
import { startTestStack, type TestStack } from '../../../testing/test-stack.harness';
import { ThawSocket, type ThawVisitor, matchNewVisitors, textMessage } from '../../../testing/thaw.client';
import { type ThrottledLink, startThrottledLink } from '../../../testing/throttled-link.proxy';
import { until, untilWithin } from '../../../testing/until.functions';
import { MAX_CHAT_BYTES } from '../domain/random-chat.decider';

jest.setTimeout(180_000);

const isLongRun = process.env.THAW_TEST_LONG === '1';
const MIB = 1024 * 1024;
const MBIT = 1_000_000;
const MESSAGE_BYTES = 2_000;
const SHORT_MESSAGE_BYTES = 10;
/** Approximate size of an event without its content. */
const EVENT_OVERHEAD_BYTES = 200;
/** Size of 19,000 events, close to the 20,000 at which a chat is full. */
const BYTES_OF_MANY_SHORT_MESSAGES = 19_000 * (SHORT_MESSAGE_BYTES + EVENT_OVERHEAD_BYTES);
/** Approximate size of a page that is full of events; the limit of a page is 64 KB. */
const PAGE_BYTES = 63 * 1024;
/**
 * Maximum of the 99th percentile of response times to pings, on an idle machine. Before resumes were sent in pages,
 * other users waited for up to 650 ms (docs/decisions/0033).
 */
const MAX_PING_P99_MS = 50;

/** A `session_resumed` frame. A resume consists of such pages. */
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
  /**
   * Starts a chat and appends messages whose events have about `totalBytes` bytes.
   * @returns `version`: the number of events of the chat, which is also the `seq` of the last one.
   */
  const startLongChat = async (totalBytes: number, messageBytes = MESSAGE_BYTES) => {
    const chat = await matchNewVisitors([getOrigin(), getOrigin()]);
    const messageCount = Math.floor(totalBytes / (messageBytes + EVENT_OVERHEAD_BYTES));
    const contents = Array.from({ length: messageCount }, (_, index) =>
      `${index} `.padEnd(messageBytes, 'x'),
    );
    const { version } = await appendMessages(stack.replicas[0]!, chat.sessionId, chat.ada.user.id, contents);
    await untilWithin(60_000, () => chat.bobSocket.getLastSeq(chat.sessionId) === version);
    return { ...chat, version };
  };
  const listPages = (socket: ThawSocket): ResumePage[] =>
    socket.all('session_resumed') as unknown as ResumePage[];
  /** Lists the `seq` of every event that the socket has received, in a page or in a frame of its own. */
  const listSeqs = (socket: ThawSocket): number[] =>
    socket.frames.flatMap(({ event, data }) => {
      if (event === 'session_resumed')
        return (data as unknown as ResumePage).events.map(({ data: { seq } }) => seq);
      return event !== 'ack' && typeof data?.seq === 'number' ? [data.seq] : [];
    });
  const listNumbers = (first: number, last: number): number[] =>
    Array.from({ length: last - first + 1 }, (_, index) => first + index);
  /**
   * Lets another user ping during `work`.
   * @returns the 99th percentile of the response times, in ms.
   */
  const measurePingP99During = async (work: Promise<unknown>): Promise<number> => {
    const socket = await (await stack.createVisitor(0)).openSocket();
    let isOver = false;
    const responseTimesMs: number[] = [];
    const completion = work.finally(() => (isOver = true));
    while (!isOver) {
      const sentAt = performance.now();
      await socket.ask('ping', {});
      responseTimesMs.push(performance.now() - sentAt);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await completion;
    responseTimesMs.sort((a, b) => a - b);
    return responseTimesMs[Math.ceil(responseTimesMs.length * 0.99) - 1] ?? Infinity;
  };
  /** Opens a socket of the user over a slow connection, and starts its resume. */
  const startSlowResume = async (
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

  const cases: [description: string, totalBytes: number, messageBytes: number, mbitPerSecond: number][] =
    isLongRun
      ? [
          ['a chat that is full of long messages, at 10 Mbit/s', MAX_CHAT_BYTES, MESSAGE_BYTES, 10],
          [
            'a chat that is almost full of short messages, at 10 Mbit/s',
            BYTES_OF_MANY_SHORT_MESSAGES,
            SHORT_MESSAGE_BYTES,
            10,
          ],
          ['a chat of 1 MiB, at 1 Mbit/s', MIB, MESSAGE_BYTES, 1],
        ]
      : [['a chat of 1 MiB, at 10 Mbit/s', MIB, MESSAGE_BYTES, 10]];
  it.each(cases)(
    'sends %s completely, and does not delay replies to pings of other users',
    async (_description, totalBytes, messageBytes, mbitPerSecond) => {
      const { bob, version } = await startLongChat(totalBytes, messageBytes);
      const socket = await startSlowResume(bob, mbitPerSecond * MBIT);
      const lastPageArrival = untilWithin(120_000, () => listPages(socket).at(-1)?.last);
      const p99Ms = await measurePingP99During(lastPageArrival);
      expect(listSeqs(socket)).toEqual(listNumbers(1, version));
      for (const page of listPages(socket)) {
        const size = Buffer.byteLength(JSON.stringify({ event: 'session_resumed', data: page }));
        expect(size).toBeLessThanOrEqual(limits.resumeFrameMaxBytes);
      }
      expect(p99Ms).toBeLessThanOrEqual(MAX_PING_P99_MS * estimateCpuSlowdown());
    },
  );

  it('sends events in order while messages arrive, and continues with live events without a gap', async () => {
    const { bob, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    const socket = await startSlowResume(bob, 20 * MBIT);
    let sentCount = 0;
    do {
      await adaSocket.request('random_message', textMessage(sessionId, `live ${sentCount}`));
      sentCount += 1;
    } while (!listPages(socket).at(-1)?.last);
    await adaSocket.request('random_message', textMessage(sessionId, 'and after'));
    await until(() => listSeqs(socket).includes(version + sentCount + 1));
    expect(listSeqs(socket)).toEqual(listNumbers(1, version + sentCount + 1));
    expect(listPages(socket).filter(({ last }) => last)).toHaveLength(1);
  });

  it('sends events in order when a client requests a resume on an open socket because of a gap', async () => {
    const { bob, bobSocket, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    bobSocket.frames.length = 0; // forgets what the socket received while the chat was filled
    bobSocket.send({ event: 'authenticate', data: { userId: bob.user.id, lastSeen: { sessionId, seq: 1 } } });
    let sentCount = 0;
    do {
      await adaSocket.request('random_message', textMessage(sessionId, `live ${sentCount}`));
      sentCount += 1;
    } while (!listPages(bobSocket).at(-1)?.last);
    await until(() => listSeqs(bobSocket).includes(version + sentCount));
    // Live events that were sent before the server handled `authenticate` precede the first page.
    const firstPageIndex = bobSocket.frames.findIndex(({ event }) => event === 'session_resumed');
    bobSocket.frames.splice(0, firstPageIndex);
    expect(listSeqs(bobSocket)).toEqual(listNumbers(2, version + sentCount));
  });

  it('continues after the last received page when the client reconnects after a lost connection', async () => {
    const { bob, version, sessionId } = await startLongChat(MIB / 2);
    const seenSeqs: number[] = [];
    for (let round = 0; seenSeqs.at(-1) !== version; round += 1) {
      expect(round).toBeLessThan(10); // otherwise the loop might never end
      const lastSeen = seenSeqs.length > 0 ? { sessionId, seq: seenSeqs.at(-1)! } : undefined;
      const socket = await startSlowResume(bob, 10 * MBIT, lastSeen);
      // The connection is lost after three pages, or after the last page of the resume.
      await until(() => listPages(socket).length >= 3 || listPages(socket).at(-1)?.last);
      await socket.terminate();
      // Each page reports the `seq` of its last event, from which the client resumes.
      for (const { seq, events } of listPages(socket)) expect(seq).toBe(events.at(-1)?.data.seq);
      seenSeqs.push(...listSeqs(socket));
    }
    expect(seenSeqs).toEqual(listNumbers(1, version));
  });

  it('is completed on the next socket when its socket closes early', async () => {
    const { bob, bobSocket, adaSocket, sessionId } = await startLongChat(MIB);
    await bobSocket.closeCleanly();
    const socket = await startSlowResume(bob, MBIT);
    await until(() => listPages(socket).length > 0);
    await socket.terminate();
    expect(await adaSocket.next('partner_connection', ({ state }) => state === 'reconnecting')).toMatchObject(
      {
        sessionId,
      },
    );
    const newSocket = await bob.openSocket();
    await until(() => listPages(newSocket).at(-1)?.last);
    expect(await newSocket.request('random_message', textMessage(sessionId, 'back'))).toHaveProperty('seq');
  });

  it('includes the end of a chat that ends during its resume', async () => {
    const { bob, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    // A resume calls `waitUntilDrained` between two pages, so the chat ends after the first page.
    jest.spyOn(SocketConnection.prototype, 'waitUntilDrained').mockImplementationOnce(async () => {
      await adaSocket.request('skip_chat', { sessionId });
    });
    const socket = await bob.openSocket();
    await until(() => listPages(socket).at(-1)?.last);
    expect(listPages(socket).at(-1)?.events.at(-1)).toMatchObject({ event: 'chat_skipped' });
    expect(listSeqs(socket)).toEqual(listNumbers(1, version + 1));
    // If the end were also sent as a frame of its own, it would arrive before this ack.
    await socket.request('join_queue', {});
    await socket.request('leave_queue', {}); // users of later tests must not be matched with Bob
    expect(socket.all('chat_skipped')).toEqual([]);
  });

  it('rate-limits the pages of resumes per user, but not a resume of one page', async () => {
    // The other replica has the profile `load`, whose limits tests do not reach.
    const limitedReplica = await stack.addReplica({ LIMITS_PROFILE: 'default' });
    const { bob, version, sessionId } = await startLongChat(MIB);
    const pagesPerResume = Math.ceil((version * (MESSAGE_BYTES + EVENT_OVERHEAD_BYTES)) / PAGE_BYTES);
    let wasRefused = false;
    let resumeCount = 0;
    while (!wasRefused && resumeCount < 100) {
      const socket = await bob.openUnauthenticatedSocket(limitedReplica.origin);
      const { event, data } = await socket.ask('authenticate', { userId: bob.user.id });
      if (event === 'error') {
        wasRefused = true;
        expect(data).toMatchObject({ code: 'rate_limited' });
        expect(data.retryAfterMs).toBeGreaterThan(0);
        // The socket is still open, and may request a shorter resume: only the last five events.
        const lastSeen = { sessionId, seq: version - 5 };
        expect(await socket.ask('authenticate', { userId: bob.user.id, lastSeen })).toMatchObject({
          event: 'authenticated',
        });
        await until(() => listPages(socket).at(-1)?.last);
        expect(listSeqs(socket)).toEqual(listNumbers(version - 4, version));
      } else {
        resumeCount += 1;
        await until(() => listPages(socket).at(-1)?.last);
        await socket.closeCleanly();
      }
    }
    expect(wasRefused).toBe(true);
    // The limit is 600 pages, and more become available during the test. The number of pages is only estimated.
    expect(resumeCount * pagesPerResume).toBeGreaterThan(500);
    expect(resumeCount * pagesPerResume).toBeLessThan(900);
  });
});
