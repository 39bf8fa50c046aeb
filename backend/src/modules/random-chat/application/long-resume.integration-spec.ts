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
  const links: ThrottledLink[] = [];

  beforeAll(async () => {
    stack = await startTestStack(1, { REMATCH_COOLDOWN_S: '0' });
  });
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
  const hasLastPage = (socket: ThawSocket): boolean => listPages(socket).at(-1)?.last === true;
  const waitForLastPage = (socket: ThawSocket) => until(() => hasLastPage(socket));
  /** Sends messages until the other socket has the last page of its resume. @returns the number of messages. */
  const sendUntilLastPage = async (sender: ThawSocket, sessionId: string, resumed: ThawSocket) => {
    let sentCount = 0;
    do {
      await sender.request('random_message', textMessage(sessionId, `live ${sentCount}`));
      sentCount += 1;
    } while (!hasLastPage(resumed));
    return sentCount;
  };
  /** Lists the `seq` of every event in the frames, whether in a page or in a frame of its own. */
  const listSeqs = ({ frames }: Pick<ThawSocket, 'frames'>): number[] =>
    frames.flatMap(({ event, data }) => {
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

  const shortCases = [
    { chat: 'a chat of 1 MiB', totalBytes: MIB, messageBytes: MESSAGE_BYTES, mbitPerSecond: 10 },
  ];
  const longCases = [
    {
      chat: 'a chat that is full of long messages',
      totalBytes: MAX_CHAT_BYTES,
      messageBytes: MESSAGE_BYTES,
      mbitPerSecond: 10,
    },
    {
      chat: 'a chat that is almost full of short messages',
      totalBytes: BYTES_OF_MANY_SHORT_MESSAGES,
      messageBytes: SHORT_MESSAGE_BYTES,
      mbitPerSecond: 10,
    },
    { chat: 'a chat of 1 MiB', totalBytes: MIB, messageBytes: MESSAGE_BYTES, mbitPerSecond: 1 },
  ];
  it.each(isLongRun ? longCases : shortCases)(
    'sends $chat completely at $mbitPerSecond Mbit/s, and does not delay replies to pings of other users',
    async ({ totalBytes, messageBytes, mbitPerSecond }) => {
      const { bob, version } = await startLongChat(totalBytes, messageBytes);
      const socket = await startSlowResume(bob, mbitPerSecond * MBIT);
      const lastPageArrival = untilWithin(120_000, () => hasLastPage(socket));
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
    const sentDuringResume = await sendUntilLastPage(adaSocket, sessionId, socket);
    await adaSocket.request('random_message', textMessage(sessionId, 'and after'));
    const lastSeq = version + sentDuringResume + 1;
    await until(() => listSeqs(socket).includes(lastSeq));
    expect(listSeqs(socket)).toEqual(listNumbers(1, lastSeq));
    expect(listPages(socket).filter(({ last }) => last)).toHaveLength(1);
  });

  it('sends events in order when a client requests a resume on an open socket because of a gap', async () => {
    const { bob, bobSocket, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    bobSocket.frames.length = 0; // forgets what the socket received while the chat was filled
    bobSocket.send({ event: 'authenticate', data: { userId: bob.user.id, lastSeen: { sessionId, seq: 1 } } });
    const lastSeq = version + (await sendUntilLastPage(adaSocket, sessionId, bobSocket));
    await until(() => listSeqs(bobSocket).includes(lastSeq));
    // Live events that were sent before the server handled `authenticate` precede the first page.
    const firstPageIndex = bobSocket.frames.findIndex(({ event }) => event === 'session_resumed');
    const resumedFrames = bobSocket.frames.slice(firstPageIndex);
    expect(listSeqs({ frames: resumedFrames })).toEqual(listNumbers(2, lastSeq));
  });

  it('continues after the last received page when the client reconnects after a lost connection', async () => {
    const { bob, version, sessionId } = await startLongChat(MIB / 2);
    const seenSeqs: number[] = [];
    // About three rounds are needed. The maximum ends a loop that makes no progress.
    for (let round = 0; round < 10 && seenSeqs.at(-1) !== version; round += 1) {
      const seq = seenSeqs.at(-1);
      const lastSeen = seq === undefined ? undefined : { sessionId, seq };
      const socket = await startSlowResume(bob, 10 * MBIT, lastSeen);
      await until(() => listPages(socket).length >= 3 || hasLastPage(socket));
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
    const partnerLeft = await adaSocket.next('partner_connection', ({ state }) => state === 'reconnecting');
    expect(partnerLeft).toMatchObject({ sessionId });
    const newSocket = await bob.openSocket();
    await waitForLastPage(newSocket);
    expect(await newSocket.request('random_message', textMessage(sessionId, 'back'))).toHaveProperty('seq');
  });

  it('includes the end of a chat that ends during its resume', async () => {
    const { bob, adaSocket, version, sessionId } = await startLongChat(MIB / 2);
    // A resume calls `waitUntilDrained` between two pages, so the chat ends after the first page.
    jest.spyOn(SocketConnection.prototype, 'waitUntilDrained').mockImplementationOnce(async () => {
      await adaSocket.request('skip_chat', { sessionId });
    });
    const socket = await bob.openSocket();
    await waitForLastPage(socket);
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
    const requestFullResume = async () => {
      const socket = await bob.openUnauthenticatedSocket(limitedReplica.origin);
      return { socket, answer: await socket.ask('authenticate', { userId: bob.user.id }) };
    };
    let resumeCount = 0;
    let attempt = await requestFullResume();
    while (attempt.answer.event !== 'error' && resumeCount < 100) {
      await waitForLastPage(attempt.socket);
      await attempt.socket.closeCleanly();
      resumeCount += 1;
      attempt = await requestFullResume();
    }

    const { socket, answer } = attempt;
    expect(answer).toMatchObject({ event: 'error', data: { code: 'rate_limited' } });
    expect(answer.data.retryAfterMs).toBeGreaterThan(0);
    // The limit is 600 pages, and more become available during the test. The number of pages is only estimated.
    const pagesPerResume = Math.ceil((version * (MESSAGE_BYTES + EVENT_OVERHEAD_BYTES)) / PAGE_BYTES);
    expect(resumeCount * pagesPerResume).toBeGreaterThan(500);
    expect(resumeCount * pagesPerResume).toBeLessThan(900);

    // The refused socket is still open, and may request a resume of one page: the last five events.
    const lastSeen = { sessionId, seq: version - 5 };
    expect(await socket.ask('authenticate', { userId: bob.user.id, lastSeen })).toMatchObject({
      event: 'authenticated',
    });
    await waitForLastPage(socket);
    expect(listSeqs(socket)).toEqual(listNumbers(version - 4, version));
  });
});
