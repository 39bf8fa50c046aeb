import { type WebSocketRoute } from '@playwright/test';
import { expect, test } from './support/test.ts';

const messageCount = 10_000;
const messagesPerFrame = 500;
/** Largest allowed number of rows in the DOM. The list is virtualised, so the number of messages does not matter. */
const maxRows = 120;
const sessionId = 'any-session';
const partner = { id: 999_999, username: 'brave-heron-7', avatar: null, isOnline: true };

test('a list of ten thousand messages mounts few rows, opens at its end, and neither typing nor a new message moves it', async ({
  newcomer,
}) => {
  test.slow();
  let socket: WebSocketRoute | undefined;
  // The messages are one second apart, and the last one is sent now. An id begins with the time of its message.
  const intervalMs = 1_000;
  const startedAt = Date.now() - messageCount * intervalMs;
  /** Message number `seq`; the messages differ in length. */
  const createMessageFrame = (seq: number) => ({
    event: 'random_message',
    data: {
      sessionId,
      seq,
      id: `${startedAt + seq * intervalMs}-0`,
      senderId: partner.id,
      content: `message ${seq}. ${'word '.repeat(seq % 40)}`,
      type: 'text',
      timestamp: new Date(startedAt + seq * intervalMs).toISOString(),
      replyTo: null,
    },
  });
  const ada = await newcomer({
    prepare: (page) =>
      // The test plays the server: it responds to `authenticate` with a chat of many messages.
      page.routeWebSocket('**/ws', (route) => {
        socket = route;
        route.onMessage((text) => {
          const frame = JSON.parse(String(text)) as {
            event: string;
            ref?: string;
            data?: { userId: number };
          };
          if (frame.event !== 'authenticate') return;
          const sendFrame = (event: string, data: unknown, ref?: string): void =>
            route.send(JSON.stringify({ event, data, ref }));
          sendFrame('authenticated', { userId: frame.data?.userId, state: 'chatting' }, frame.ref);
          for (let first = 1; first <= messageCount; first += messagesPerFrame) {
            const seq = first + messagesPerFrame - 1;
            sendFrame('session_resumed', {
              sessionId,
              seq,
              partnerId: partner.id,
              partnerInfo: partner,
              partnerConnection: 'connected',
              events: Array.from({ length: messagesPerFrame }, (_, index) =>
                createMessageFrame(first + index),
              ),
              last: seq === messageCount,
            });
          }
        });
      }),
  });
  // The page renders each of the twenty frames, which takes long on a busy machine.
  await expect(ada.message(`message ${messageCount}.`)).toBeInViewport({ timeout: 90_000 });
  // The welcome notice is a row too, so there is one row more than messages.
  await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(messageCount + 1));
  expect(await ada.messages.count()).toBeLessThanOrEqual(maxRows);

  const list = ada.page.getByRole('region', { name: 'Messages' });
  await list.hover();
  for (let count = 0; count < 5; count += 1) {
    await ada.page.mouse.wheel(0, -4_000);
    expect(await ada.messages.count()).toBeLessThanOrEqual(maxRows);
  }
  await list.press('Home');
  await expect(ada.message('message 1.')).toBeInViewport();
  expect(await ada.messages.count()).toBeLessThanOrEqual(maxRows);

  // The DOM of the list does not change while the user types.
  await list.evaluate((element) => {
    const counter = window as unknown as { changes: number };
    counter.changes = 0;
    new MutationObserver((records) => (counter.changes += records.length)).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  // The toolbar of the row under the pointer disappears now, which must not be counted.
  await ada.page.mouse.move(1, 1);
  await list.evaluate(() => ((window as unknown as { changes: number }).changes = 0));
  await ada.field.pressSequentially('nothing moves');
  expect(await ada.page.evaluate(() => (window as unknown as { changes: number }).changes)).toBe(0);

  // A new message below the visible part is counted on a button, and the list does not move.
  socket?.send(JSON.stringify(createMessageFrame(messageCount + 1)));
  await expect(ada.button('1 new message')).toBeVisible();
  await expect(ada.message('message 1.')).toBeInViewport();
  await ada.button('1 new message').click();
  await expect(ada.message(`message ${messageCount + 1}.`)).toBeInViewport();
  expect(await ada.messages.count()).toBeLessThanOrEqual(maxRows);
});
