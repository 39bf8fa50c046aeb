import { type Locator, type Page, type WebSocketRoute } from '@playwright/test';
import { expect, test } from './support/test.ts';

const messageCount = 10_000;
const messagesPerFrame = 500;
/** Largest allowed number of rows in the DOM. The list is virtualised, so the number of messages does not matter. */
const maxRows = 120;
const sessionId = 'any-session';
const partner = { id: 999_999, username: 'brave-heron-7', avatar: null, isOnline: true };

/** Plays the server: it responds to `authenticate` with a chat of `messageCount` messages. */
const createServer = () => {
  let socket: WebSocketRoute | undefined;
  // The messages are one second apart, and the last one is sent now.
  const intervalMs = 1_000;
  const startedAt = Date.now() - messageCount * intervalMs;

  /** Message number `seq`; the messages differ in length. */
  const createMessageFrame = (seq: number) => {
    const sentAt = startedAt + seq * intervalMs;
    return {
      event: 'random_message',
      data: {
        sessionId,
        seq,
        id: `${sentAt}-0`, // an id begins with the time of its message
        senderId: partner.id,
        content: `message ${seq}. ${'word '.repeat(seq % 40)}`,
        type: 'text',
        timestamp: new Date(sentAt).toISOString(),
        replyTo: null,
      },
    };
  };

  const sendChat = (route: WebSocketRoute): void => {
    for (let first = 1; first <= messageCount; first += messagesPerFrame) {
      const last = first + messagesPerFrame - 1;
      const data = {
        sessionId,
        seq: last,
        partnerId: partner.id,
        partnerInfo: partner,
        partnerConnection: 'connected',
        events: Array.from({ length: messagesPerFrame }, (_, index) => createMessageFrame(first + index)),
        last: last === messageCount, // whether this is the last frame
      };
      route.send(JSON.stringify({ event: 'session_resumed', data }));
    }
  };

  return {
    serve: (page: Page): Promise<void> =>
      page.routeWebSocket('**/ws', (route) => {
        socket = route;
        route.onMessage((text) => {
          const { event, ref, data } = JSON.parse(String(text)) as {
            event: string;
            ref?: string;
            data?: { userId: number };
          };
          if (event !== 'authenticate') return;
          const response = { userId: data?.userId, state: 'chatting' };
          route.send(JSON.stringify({ event: 'authenticated', data: response, ref }));
          sendChat(route);
        });
      }),
    sendMessage: (seq: number): void => socket?.send(JSON.stringify(createMessageFrame(seq))),
  };
};

/** Counts the changes in the DOM of the list from now on. Returns a function that reads their number. */
const countChanges = async (list: Locator): Promise<() => Promise<number>> => {
  interface CountingWindow {
    changeCount: number;
  }
  await list.evaluate((element) => {
    const counter = window as unknown as CountingWindow;
    counter.changeCount = 0;
    new MutationObserver((records) => (counter.changeCount += records.length)).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
      attributes: true,
    });
  });
  return () => list.page().evaluate(() => (window as unknown as CountingWindow).changeCount);
};

test('a list of ten thousand messages mounts few rows, opens at its end, and neither typing nor a new message moves it', async ({
  newcomer,
}) => {
  test.slow();
  const server = createServer();
  const ada = await newcomer({ prepare: server.serve });
  const list = ada.page.getByRole('region', { name: 'Messages' });
  const expectFewRows = async (): Promise<void> =>
    expect(await ada.messages.count()).toBeLessThanOrEqual(maxRows);

  await test.step('the list opens at its end', async () => {
    // The page renders each of the twenty frames, which takes long on a busy machine.
    await expect(ada.message(`message ${messageCount}.`)).toBeInViewport({ timeout: 90_000 });
    // The welcome notice is a row too, so there is one row more than messages.
    await expect(ada.messages.last()).toHaveAttribute('aria-setsize', String(messageCount + 1));
    await expectFewRows();
  });

  await test.step('the list mounts few rows while the user scrolls to its beginning', async () => {
    await list.hover();
    for (let count = 0; count < 5; count += 1) {
      await ada.page.mouse.wheel(0, -4_000);
      await expectFewRows();
    }
    await list.press('Home');
    await expect(ada.message('message 1.')).toBeInViewport();
    await expectFewRows();
  });

  await test.step('the DOM of the list does not change while the user types', async () => {
    // The toolbar of the row under the pointer disappears before the changes are counted.
    await ada.page.mouse.move(1, 1);
    const readChangeCount = await countChanges(list);
    await ada.field.pressSequentially('nothing moves');
    expect(await readChangeCount()).toBe(0);
  });

  await test.step('a new message below the visible part is counted on a button, and does not move the list', async () => {
    server.sendMessage(messageCount + 1);
    await expect(ada.button('1 new message')).toBeVisible();
    await expect(ada.message('message 1.')).toBeInViewport();
    await ada.button('1 new message').click();
    await expect(ada.message(`message ${messageCount + 1}.`)).toBeInViewport();
    await expectFewRows();
  });
});
