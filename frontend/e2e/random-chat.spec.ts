import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { readStoredUser } from './support/account.ts';
import { Connection } from './support/connection.ts';
import { expect, Person, test } from './support/test.ts';

test('two anonymous visitors join, are matched, chat, skip, and are matched again', async ({
  openContext,
}) => {
  const join = async (gender: 'Man' | 'Woman'): Promise<Person> => {
    const page = await (await openContext()).newPage();
    await page.goto('/');
    await page.getByRole('button', { name: 'Join Anonymously' }).first().click();
    await expect(page).toHaveURL('/chat');
    await expect(page.getByText('Anonymous session started', { exact: true }).first()).toBeVisible();

    const dialog = page.getByRole('dialog', { name: 'Select Your Gender' });
    await expect(dialog).toBeVisible();
    await expect(dialog.getByRole('button', { name: 'Confirm' })).toBeDisabled();
    // The choice of a gender cannot be skipped.
    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5); // outside the dialog
    await expect(dialog).toBeVisible();
    await dialog.getByRole('radio', { name: gender, exact: true }).click();
    await dialog.getByRole('button', { name: 'Confirm' }).click();
    await expect(dialog).toBeHidden();
    // Declines the offer to create an account.
    await page.getByRole('button', { name: 'Maybe Later' }).click();

    const user = await readStoredUser(page);
    return new Person(page, user!);
  };
  const ada = await join('Woman');
  const bob = await join('Man');

  // The phases of the page (docs/product-decisions.md, A41 to A61): initial → searching → initial
  await expect(ada.heading('Ready to chat?')).toBeVisible();
  await expect(ada.page.getByRole('radio', { name: 'Both' })).toBeChecked();
  await ada.pressFind();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  await ada.button('Cancel').click();
  await expect(ada.heading('Ready to chat?')).toBeVisible();

  // searching → active
  await ada.pressFind();
  await bob.pressFind();
  await expect(ada.message(`🎉 You are now chatting with ${bob.name}. Say hi!`)).toBeVisible();
  await expect(bob.message(`🎉 You are now chatting with ${ada.name}. Say hi!`)).toBeVisible();

  // active: messages are exchanged
  await ada.field.pressSequentially('hel');
  await expect(bob.page.getByText(`${ada.name} is typing`)).toBeVisible();
  await ada.field.pressSequentially('lo');
  await ada.field.press('Shift+Enter');
  await ada.field.pressSequentially('there');
  await ada.field.press('Enter');
  await expect(ada.message('hello')).toContainText('Sent');
  await expect(bob.message('hello')).toContainText('hello\nthere', { useInnerText: true });
  await expect(bob.page.getByText(`${ada.name} is typing`)).toBeHidden();
  await bob.sendMessage('hi yourself');
  await expect(ada.message('hi yourself')).toBeVisible();
  // The welcome notice and two messages.
  await expect(bob.messages).toHaveCount(3);

  // active: closing the confirm bar changes nothing
  await ada.button('Skip Chat').click();
  await expect(ada.page.getByText('Skip this chat?')).toBeVisible();
  await ada.button('Cancel').click();
  await expect(ada.page.getByText('Skip this chat?')).toBeHidden();
  await expect(bob.message('hello')).toBeVisible();

  // active → searching, and active → skipped for the partner
  await ada.skip();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  await expect(bob.heading('Chat Ended')).toBeVisible();
  await expect(bob.page.getByText('Your chat partner skipped this conversation')).toBeVisible();

  // skipped → initial, which does not start a search
  await bob.button('New Conversation').click();
  await expect(bob.heading('Ready to chat?')).toBeVisible();
  await expect(ada.heading('Looking for someone...')).toBeVisible();

  // The next chat begins without the messages of the last one.
  await bob.pressFind();
  await expect(ada.message('You are now chatting with')).toBeVisible();
  await expect(ada.messages).toHaveCount(1);
  await expect(bob.messages).toHaveCount(1);
});

test('a user who skipped is matched with a third user, and the two chats share no messages', async ({
  pair,
  newcomer,
}) => {
  const [[ada, bob], cleo] = await Promise.all([pair(), newcomer({ gender: 'female' })]);
  await ada.sendMessage('only for Bob');
  await expect(bob.message('only for Bob')).toBeVisible();
  // Bob's skip starts the next search, while Ada stays on the screen "Chat Ended".
  await bob.skip();
  await expect(ada.heading('Chat Ended')).toBeVisible();
  await cleo.pressFind();
  await expect(bob.heading(cleo.name)).toBeVisible();
  await expect(bob.message('only for Bob')).toHaveCount(0);
  await bob.sendMessage('for Cleo');
  await expect(cleo.message('for Cleo')).toBeVisible();
  await expect(cleo.message('only for Bob')).toHaveCount(0);
  await expect(ada.heading('Chat Ended')).toBeVisible();
});

test('the partner preference survives a reload and restricts the matches', async ({ newcomer }) => {
  const [ada, bob, cleo] = await Promise.all([
    newcomer({ gender: 'female' }),
    newcomer({ gender: 'male' }),
    newcomer({ gender: 'female' }),
  ]);
  await ada.page.getByRole('radio', { name: 'Woman' }).click();
  await ada.page.reload();
  await expect(ada.page.getByRole('radio', { name: 'Woman' })).toBeChecked();
  await ada.pressFind();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  await bob.pressFind();
  await expect(bob.heading('Looking for someone...')).toBeVisible();
  // Without this preference, Cleo could also be matched with Bob.
  await cleo.page.getByRole('radio', { name: 'Woman' }).click();
  await cleo.pressFind();
  await expect(ada.heading(cleo.name)).toBeVisible();
  await expect(bob.heading('Looking for someone...')).toBeVisible();
});

test('two users who skip at the same time both search again, without the screen "Chat Ended"', async ({
  pair,
}) => {
  let networkOfAda: Connection | undefined;
  const [ada, bob] = await pair({
    prepare: async (page) => {
      networkOfAda = await Connection.intercept(page);
    },
  });
  // Ada is offline while both confirm their skips, so neither has received the other's skip by then.
  await networkOfAda?.cut();
  await expect(ada.page.getByText('Disconnected', { exact: true })).toBeVisible();
  await ada.skip();
  await bob.skip();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  networkOfAda?.restore();
  // "Chat Ended" starts no search, so the two are matched again only if both went straight back to the queue. Their new
  // chat contains only the welcome notice.
  await expect(ada.heading(bob.name)).toBeVisible();
  await expect(bob.heading(ada.name)).toBeVisible();
  await expect(ada.messages).toHaveCount(1);
  await expect(bob.messages).toHaveCount(1);
});

test('all tabs of a user show the same search and chat', async ({ newcomer }) => {
  const ada = await newcomer({ gender: 'female' });
  const secondTab = new Person(await ada.page.context().newPage(), ada.user);
  await secondTab.page.goto('/chat');
  await expect(secondTab.button('Find Conversation')).toBeEnabled();

  await ada.pressFind();
  await expect(secondTab.heading('Looking for someone...')).toBeVisible();
  await secondTab.button('Cancel').click();
  await expect(ada.heading('Ready to chat?')).toBeVisible();

  await ada.pressFind();
  await expect(secondTab.heading('Looking for someone...')).toBeVisible();
  const bob = await newcomer({ gender: 'male' });
  await bob.pressFind();
  await expect(ada.heading(bob.name)).toBeVisible();
  await expect(secondTab.heading(bob.name)).toBeVisible();

  await ada.sendMessage('from the first tab');
  await secondTab.sendMessage('from the second tab');
  // The first row is the welcome notice.
  await expect(bob.messages).toHaveCount(3);
  for (const person of [ada, secondTab, bob]) {
    await expect(person.messages.nth(1)).toContainText('from the first tab');
    await expect(person.messages.nth(2)).toContainText('from the second tab');
  }

  await secondTab.skip();
  await expect(ada.heading('Looking for someone...')).toBeVisible();
  await expect(bob.heading('Chat Ended')).toBeVisible();

  // The search of a user continues when one of their tabs leaves /chat.
  await secondTab.page.getByRole('link', { name: 'Thaw' }).click();
  await expect(secondTab.heading('Ready to make Friends?')).toBeVisible();
  await bob.button('New Conversation').click();
  await bob.pressFind();
  await expect(ada.heading(bob.name)).toBeVisible();
});

test('a search shows a hint after 30 seconds', async ({ newcomer }) => {
  const ada = await newcomer({
    prepare: async (page) => {
      await page.clock.install();
      // Drops `queue_status`, sent by the server after ten seconds: it would set the shown time to the real one.
      await page.routeWebSocket('**/ws', (socket) => {
        const server = socket.connectToServer();
        server.onMessage((frame) => {
          if (!String(frame).includes('"queue_status"')) socket.send(frame);
        });
      });
    },
  });
  await ada.pressFind();
  await expect(ada.page.getByText(/^Waiting for 0:0\d$/)).toBeVisible();
  await ada.page.clock.runFor(pageLimits.searchHintAfterMs + 1_000);
  // Which hint is shown depends on the users who are online.
  await expect(ada.page.getByText(/We keep looking|Nobody matches/)).toBeVisible();
  // At least half a minute, because the clock of the page continues.
  await expect(ada.page.getByText(/^Waiting for (0:[345]\d|[1-9]:\d\d)$/)).toBeVisible();
});

test('leaving /chat ends a search immediately, and ends a chat if the user does not return in time', async ({
  newcomer,
}) => {
  const sentFrames: string[] = [];
  const ada = await newcomer({
    gender: 'female',
    prepare: async (page) => {
      page.on('websocket', (socket) =>
        socket.on('framesent', ({ payload }) => sentFrames.push(String(payload))),
      );
      await page.clock.install();
    },
  });
  await ada.pressFind();
  const leaveChatPage = async (): Promise<void> => {
    await ada.page.getByRole('link', { name: 'Thaw' }).click();
    await expect(ada.heading('Ready to make Friends?')).toBeVisible();
  };
  await leaveChatPage();
  // The page checks for other tabs before it leaves the queue, so wait for the frame before returning.
  await expect.poll(() => sentFrames.some((frame) => frame.includes('leave_queue'))).toBe(true);
  await ada.page.goBack();
  await expect(ada.heading('Ready to chat?')).toBeVisible();

  const bob = await newcomer({ gender: 'male' });
  await ada.pressFind();
  await bob.pressFind();
  await expect(bob.heading(ada.name)).toBeVisible();
  await leaveChatPage();
  // Returns in time.
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs / 2);
  await ada.page.goBack();
  await expect(ada.heading(bob.name)).toBeVisible();
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs);
  await expect(bob.heading(ada.name)).toBeVisible();

  // Does not return.
  await leaveChatPage();
  await ada.page.clock.runFor(pageLimits.leaveChatDelayMs);
  await expect(bob.heading('Chat Ended')).toBeVisible();
});

test("a stranger's message is shown as plain text", async ({ pair }) => {
  const [ada, bob] = await pair();
  // Markup, and the marker that stands for an image in stored messages.
  const markup = '<img src=x onerror="alert(1)"> [IMAGE:/api/files/x.png]';
  // U+202E reverses the direction of the text after it.
  await ada.sendMessage(`${markup} \u202eright to left`);
  await expect(bob.message(markup)).toBeVisible();
  await expect(bob.page.getByRole('region', { name: 'Messages' }).locator('img')).toHaveCount(0);
});

test('a message has at most 2,000 characters, and an emoji counts as one', async ({ pair }) => {
  const [ada, bob] = await pair();
  await ada.field.fill('x'.repeat(limits.messageMaxCodePoints + 1));
  await expect(ada.page.getByText('2,001 of 2,000 characters')).toBeVisible();
  await expect(ada.button('Send')).toBeDisabled();
  await ada.sendMessage('😂'.repeat(limits.messageMaxCodePoints));
  await expect(bob.message('😂'.repeat(limits.messageMaxCodePoints))).toBeVisible();
});

test('the message list follows new messages only while it is scrolled to its end', async ({ pair }) => {
  const [ada, bob] = await pair();
  // More messages than fit on the screen. The full stop separates the number from the time, which may follow it in the
  // text of the row.
  for (let n = 1; n <= 20; n += 1) await ada.sendMessage(`message ${n}.`);
  await expect(bob.message('message 20.')).toBeInViewport();
  await expect(ada.message('message 20.')).toBeInViewport();
  await bob.page.getByRole('region', { name: 'Messages' }).hover();
  await bob.page.mouse.wheel(0, -5_000);
  await expect(bob.message('You are now chatting with')).toBeInViewport();
  await ada.sendMessage('message 21.');
  await expect(ada.message('message 21.')).toBeInViewport();
  await expect(bob.message('You are now chatting with')).toBeInViewport();
});
