import { type Page } from '@playwright/test';
import { limits } from '@thaw/contract/limits';
import { pageLimits } from '../src/lib/page-limits';
import { expectAccessible as expectAccessiblePage } from './support/accessibility.ts';
import { expect, type Person, test } from './support/test.ts';

// In a game of Break the Ice, one user asks a question, both choose an answer, and the pages reveal both answers: ice
// cubes celebrate equal answers, and sparks different ones.

const waitingText = 'Waiting response from your chat partner...';

/** Checks the accessibility of the messages in both themes; the tests of other files check the rest of the page. */
const expectAccessible = (page: Page, state: string): Promise<void> =>
  expectAccessiblePage(page, state, { within: '[role="region"][aria-label="Messages"]' });

/** Locates the newest question on a user's page. */
const getCard = ({ page }: Person) => page.getByRole('region', { name: /^Break the Ice: / }).last();
const getOptions = (person: Person) => getCard(person).getByRole('radio');
const getCubes = ({ page }: Person) => page.getByRole('img', { name: 'Ice cubes' });
const getSparks = ({ page }: Person) => page.getByRole('img', { name: 'Sparks' });
const getTextInMessages = (person: Person, text: string) => person.messages.getByText(text, { exact: true });

/** Starts a game and waits until both users see its question. */
const askQuestion = async (asker: Person, partner: Person): Promise<void> => {
  const start = asker.button('Break the Ice');
  await expect(start).toBeEnabled();
  await start.click();
  for (const person of [asker, partner]) {
    await expect(getOptions(person).first()).toBeEnabled();
    await expect(person.button('Break the Ice')).toBeDisabled();
  }
};

/** Chooses the option with this index. @returns its text */
const answerQuestion = async (person: Person, index: number): Promise<string> => {
  const option = getOptions(person).nth(index);
  const text = (await option.textContent()) ?? '';
  await option.click();
  await expect(getCard(person).getByText('You answered')).toBeVisible();
  return text;
};

/** How long before its end the tests check that a visual effect is still visible. */
const lastMomentMs = 100;

const withFakeClock = { prepare: (page: Page) => page.clock.install() };

/** Pauses the page's clock; only the test advances it afterwards. `pauseAt` needs a time in the page's future. */
const stopClock = ({ page }: Person): Promise<void> => page.clock.pauseAt(Date.now() + 5_000);

// Several games and reloads on two pages take minutes on a busy machine.
test.describe.configure({ timeout: 240_000 });

test('answers are secret until both exist; equal ones show cubes for 5 s, different ones show sparks for 3 s', async ({
  pair,
}) => {
  const framesToBob: string[] = [];
  const [ada, bob] = await pair(
    { ...withFakeClock, reducedMotion: 'no-preference' },
    {
      prepare: async (page) => {
        page.on('websocket', (socket) =>
          socket.on('framereceived', ({ payload }) => framesToBob.push(String(payload))),
        );
      },
    },
  );
  await askQuestion(ada, bob);
  await expect(getCard(ada).getByText('You asked')).toBeVisible();
  await expect(getCard(ada).getByRole('button', { name: 'Ignore' })).toHaveCount(0);
  await expect(getCard(bob).getByRole('button', { name: 'Ignore' })).toBeEnabled();
  await expect(getOptions(bob)).toHaveCount(limits.optionsPerQuestion);
  expect(await getOptions(bob).allTextContents()).toEqual(await getOptions(ada).allTextContents());

  // Only the frames after the question count.
  framesToBob.length = 0;
  const firstAnswer = await answerQuestion(ada, 2);
  await expect(getTextInMessages(ada, waitingText)).toBeVisible();
  await expect(getOptions(ada).first()).toBeDisabled();
  await expect(getCard(bob).getByText(`${ada.name} has answered`)).toBeVisible();
  await expect(getTextInMessages(bob, waitingText)).toHaveCount(0);
  // Bob's page is notified that Ada has answered, but does not receive the answer before the reveal.
  expect(framesToBob.filter((frame) => frame.includes('break_ice'))).toHaveLength(1);
  expect(framesToBob.join()).not.toContain(firstAnswer);

  await stopClock(ada);
  await answerQuestion(bob, 2);
  for (const person of [ada, bob]) {
    // The title is shown in English and in Portuguese.
    await expect(getTextInMessages(person, 'The ice is broken!')).toBeVisible();
    await expect(getTextInMessages(person, 'O gelo foi quebrado!')).toBeVisible();
    await expect(person.messages.getByRole('definition')).toHaveText([firstAnswer, firstAnswer]);
    await expect(getTextInMessages(person, waitingText)).toHaveCount(0);
  }
  await expect(getCubes(ada).locator('canvas')).toBeAttached();
  await ada.page.clock.runFor(pageLimits.celebrationMs - lastMomentMs);
  await expect(getCubes(ada)).toBeVisible();
  await ada.page.clock.runFor(lastMomentMs);
  await expect(getCubes(ada)).toHaveCount(0);
  await expect(getTextInMessages(ada, 'The ice is broken!')).toBeVisible();

  const firstQuestion = await getCard(ada).getByRole('heading').textContent();
  await askQuestion(bob, ada);
  // No question is asked twice while others are left.
  expect(await getCard(ada).getByRole('heading').textContent()).not.toBe(firstQuestion);
  // Any two different options.
  await answerQuestion(bob, 0);
  await answerQuestion(ada, 4);
  for (const person of [ada, bob]) await expect(getTextInMessages(person, 'Plot twist!')).toBeVisible();
  await ada.page.clock.runFor(pageLimits.plotTwistMs - lastMomentMs);
  await expect(getSparks(ada)).toBeVisible();
  await ada.page.clock.runFor(lastMomentMs);
  await expect(getSparks(ada)).toHaveCount(0);
});

test("each user can ignore the other's question", async ({ pair }) => {
  const [ada, bob] = await pair();
  for (const [asker, ignorer] of [
    [ada, bob],
    [bob, ada],
  ] as const) {
    await askQuestion(asker, ignorer);
    await answerQuestion(asker, 1);
    await getCard(ignorer).getByRole('button', { name: 'Ignore' }).click();
    await expect(getTextInMessages(ignorer, 'You decided to not break the ice')).toBeVisible();
    await expect(getCard(ignorer).getByText('You ignored this game', { exact: true })).toBeVisible();
    await expect(getCard(ignorer).getByText('Game ended', { exact: true })).toBeVisible();
    await expect(getTextInMessages(asker, 'Your partner decided to not break the ice')).toBeVisible();
    await expect(getCard(asker).getByText('Game cancelled by partner', { exact: true })).toBeVisible();
    await expect(getCard(asker).getByText('You can no longer respond', { exact: true })).toBeVisible();
    await expect(getTextInMessages(asker, waitingText)).toHaveCount(0);
    for (const person of [ada, bob]) {
      await expect(getOptions(person)).toHaveCount(0);
      await expect(person.button('Break the Ice')).toBeEnabled();
    }
  }
});

test('an open game survives reloads of both pages, and a reload does not repeat a celebration', async ({
  pair,
}) => {
  const [ada, bob] = await pair();
  await askQuestion(ada, bob);
  const question = (await getCard(ada).getByRole('heading').textContent()) ?? '';
  for (const person of [ada, bob]) {
    await person.page.reload();
    await expect(getCard(person).getByRole('heading', { name: question })).toBeVisible();
    await expect(getOptions(person).first()).toBeEnabled();
    await expect(person.button('Break the Ice')).toBeDisabled();
  }
  await answerQuestion(ada, 3);
  await ada.page.reload();
  await expect(getCard(ada).getByText('You answered')).toBeVisible();
  await expect(getOptions(ada).first()).toBeDisabled();
  await expect(getTextInMessages(ada, waitingText)).toBeVisible();
  await bob.page.reload();
  await expect(getCard(bob).getByText(`${ada.name} has answered`)).toBeVisible();
  await answerQuestion(bob, 3);
  for (const person of [ada, bob])
    await expect(getTextInMessages(person, 'The ice is broken!')).toBeVisible();
  await ada.page.reload();
  await expect(getTextInMessages(ada, 'The ice is broken!')).toBeVisible();
  await expect(ada.button('Break the Ice')).toBeEnabled();
  await expect(getCubes(ada)).toHaveCount(0);
});

test('when both users start a game at the same time, only one question is asked', async ({ pair }) => {
  // Bob's page does not receive Ada's question until the server has refused Bob's own game.
  const heldDeliveries: (() => void)[] = [];
  let isHoldingQuestion = true;
  let refusalCount = 0;
  const [ada, bob] = await pair(
    {},
    {
      prepare: (page) =>
        page.routeWebSocket('**/ws', (socket) => {
          socket.connectToServer().onMessage((frame) => {
            // The error code of a game that is refused because another one is open.
            if (String(frame).includes('game_active')) refusalCount += 1;
            const isQuestion = String(frame).includes('break_ice_question_received');
            if (isHoldingQuestion && isQuestion) heldDeliveries.push(() => socket.send(frame));
            else socket.send(frame);
          });
        }),
    },
  );
  await ada.button('Break the Ice').click();
  await expect(getOptions(ada).first()).toBeEnabled();
  await expect.poll(() => heldDeliveries.length).toBe(1);
  await bob.button('Break the Ice').click();
  await expect.poll(() => refusalCount).toBe(1);
  await expect(bob.button('Break the Ice')).toBeEnabled();
  await expect(getOptions(bob)).toHaveCount(0);
  isHoldingQuestion = false;
  for (const deliver of heldDeliveries) deliver();
  await expect(getOptions(bob)).toHaveCount(limits.optionsPerQuestion);
  for (const person of [ada, bob]) {
    await expect(person.page.getByRole('region', { name: /^Break the Ice: / })).toHaveCount(1);
    await expect(person.button('Break the Ice')).toBeDisabled();
  }
  await answerQuestion(bob, 0);
  await answerQuestion(ada, 0);
  for (const person of [ada, bob])
    await expect(getTextInMessages(person, 'The ice is broken!')).toBeVisible();
});

test('with reduced motion a celebration shows the same texts without an animation', async ({ pair }) => {
  const [ada, bob] = await pair({ ...withFakeClock, reducedMotion: 'reduce' });
  await askQuestion(ada, bob);
  await answerQuestion(ada, 1);
  await stopClock(ada);
  await answerQuestion(bob, 1);
  await expect(getCubes(ada)).toBeVisible();
  await expect(getCubes(ada).locator('canvas')).toHaveCount(0);
  // CSS generates these texts from `data-says`, so they are read from the pseudo-elements.
  const texts = await getCubes(ada)
    .locator('[data-says]')
    .evaluateAll((elements) => elements.map((element) => getComputedStyle(element, '::before').content));
  expect(texts).toEqual(['"The ice is broken!"', '"O gelo foi quebrado!"']);
  await ada.page.clock.runFor(pageLimits.celebrationMs - lastMomentMs);
  await expect(getCubes(ada)).toBeVisible();
  await ada.page.clock.runFor(lastMomentMs);
  await expect(getCubes(ada)).toHaveCount(0);
});

test('every state of the cards passes the accessibility checks in both themes', async ({ pair }) => {
  const [ada, bob] = await pair(
    // Ada's page has the size of a phone, and Bob's that of a desktop.
    { viewport: { width: 390, height: 844 } },
    { viewport: { width: 1280, height: 800 } },
  );
  await askQuestion(ada, bob);
  await expectAccessible(ada.page, 'asked by me');
  await expectAccessible(bob.page, 'asked by the partner');
  await answerQuestion(ada, 0);
  await expect(getCard(bob).getByText(`${ada.name} has answered`)).toBeVisible();
  await expectAccessible(ada.page, 'answered');
  await expectAccessible(bob.page, 'the partner has answered');
  await answerQuestion(bob, 0);
  await expect(getTextInMessages(ada, 'The ice is broken!')).toBeVisible();
  await expectAccessible(ada.page, 'match');
  await askQuestion(bob, ada);
  await answerQuestion(ada, 0);
  await answerQuestion(bob, 1);
  await expect(getTextInMessages(bob, 'Plot twist!')).toBeVisible();
  await expectAccessible(bob.page, 'plot twist');
  await askQuestion(ada, bob);
  await getCard(bob).getByRole('button', { name: 'Ignore' }).click();
  await expect(getCard(ada).getByText('Game cancelled by partner')).toBeVisible();
  await expectAccessible(ada.page, 'ignored by the partner');
  await expectAccessible(bob.page, 'ignored by me');
});
