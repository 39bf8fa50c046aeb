import { type WebSocketRoute } from '@playwright/test';
import { expect, test } from './support/test.ts';

const count = 10_000;
const perFrame = 500;
/** Upper limit of rendered rows, of the same kind as the figures in budgets.json. */
const mostRows = 120;
const sessionId = 'long';
const partner = { id: 999_999, username: 'brave-heron-7', avatar: null, isOnline: true };

test('with ten thousand messages few rows are mounted, the end is in view, and a key press renders no row', async ({
  newcomer,
}) => {
  test.slow();
  let socket: WebSocketRoute | undefined;
  const start = Date.now() - count * 1_000;
  const createMessageFrame = (seq: number) => ({
    event: 'random_message',
    data: {
      sessionId,
      seq,
      id: `${start + seq * 1_000}-0`,
      senderId: partner.id,
      content: `message ${seq}. ${'word '.repeat(seq % 40)}`,
      type: 'text',
      timestamp: new Date(start + seq * 1_000).toISOString(),
      replyTo: null,
    },
  });
  const ada = await newcomer({
    prepare: (page) =>
      page.routeWebSocket('**/ws', (route) => {
        socket = route;
        route.onMessage((text) => {
          const frame = JSON.parse(String(text)) as {
            event: string;
            ref?: string;
            data?: { userId: number };
          };
          if (frame.event !== 'authenticate') return;
          const send = (name: string, data: unknown, ref?: string): void =>
            route.send(JSON.stringify({ event: name, data, ref }));
          send('authenticated', { userId: frame.data?.userId, state: 'chatting' }, frame.ref);
          for (let first = 1; first <= count; first += perFrame) {
            const seq = first + perFrame - 1;
            send('session_resumed', {
              sessionId,
              seq,
              partnerId: partner.id,
              partnerInfo: partner,
              partnerConnection: 'connected',
              events: Array.from({ length: perFrame }, (_, index) => createMessageFrame(first + index)),
              last: seq === count,
            });
          }
        });
      }),
  });
  // The resume has twenty frames, each of which is rendered: slow on a busy machine. Only counts are gated.
  await expect(ada.message(`message ${count}.`)).toBeInViewport({ timeout: 90_000 });
  // One row more: the welcome notice is first.
  await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(count + 1));
  expect(await ada.messages.count()).toBeLessThanOrEqual(mostRows);

  const list = ada.page.getByRole('region', { name: 'Messages' });
  await list.hover();
  for (let turn = 0; turn < 5; turn += 1) {
    await ada.page.mouse.wheel(0, -4_000);
    expect(await ada.messages.count()).toBeLessThanOrEqual(mostRows);
  }
  await list.press('Home');
  await expect(ada.message('message 1.')).toBeInViewport();
  expect(await ada.messages.count()).toBeLessThanOrEqual(mostRows);

  // No row changes while the user types.
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
  await ada.page.mouse.move(1, 1);
  await list.evaluate(() => ((window as unknown as { changes: number }).changes = 0));
  await ada.field.pressSequentially('nothing moves');
  expect(await ada.page.evaluate(() => (window as unknown as { changes: number }).changes)).toBe(0);

  // One more message, far from the scroll position: it is counted, and the list does not move.
  socket?.send(JSON.stringify(createMessageFrame(count + 1)));
  await expect(ada.button('1 new message')).toBeVisible();
  await expect(ada.message('message 1.')).toBeInViewport();
  await ada.button('1 new message').click();
  await expect(ada.message(`message ${count + 1}.`)).toBeInViewport();
  expect(await ada.messages.count()).toBeLessThanOrEqual(mostRows);
});
