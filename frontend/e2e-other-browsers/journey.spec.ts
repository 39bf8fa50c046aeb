import { test as base } from '../e2e/support/test.ts';
import { expect } from '@playwright/test';
import { startFirefox } from './support/firefox.ts';
import { type Browser, type Tab } from './support/tab.ts';
import { startWebKit } from './support/webkit.ts';

const { FIREFOX_PATH, WEBKIT_DRIVER_PATH, WEBKIT_BROWSER_PATH, XVFB_PATH } = process.env;
const orEmpty = (path: string | undefined): string => path ?? '';

const browserStarters: Record<string, () => Browser | Promise<Browser>> = {
  firefox: () => startFirefox(orEmpty(FIREFOX_PATH)),
  webkit: () =>
    startWebKit({
      driver: orEmpty(WEBKIT_DRIVER_PATH),
      browser: orEmpty(WEBKIT_BROWSER_PATH),
      xvfb: orEmpty(XVFB_PATH),
    }),
};

const test = base.extend<{ strangers: [Tab, Tab] }>({
  strangers: async ({ address }, provide, { project }) => {
    const browser = await browserStarters[project.name]!();
    try {
      const tabs: [Tab, Tab] = [await browser.newVisitor(), await browser.newVisitor()];
      for (const tab of tabs) await tab.open(address);
      await provide(tabs);
      expect(tabs.flatMap((tab) => tab.pageErrors())).toEqual([]);
    } finally {
      await browser.close();
    }
  },
});

// XPath expressions, with which a `Tab` finds elements.

const button = (name: string): string => `//button[normalize-space(.)="${name}"]`;
/**
 * Finds only options of a dialog, because the page behind the dialog has a choice of the partner's gender, with options
 * of the same names.
 */
const radio = (name: string): string => `//*[@role="dialog"]//*[@role="radio"][normalize-space(.)="${name}"]`;
const heading = (name: string): string => `//*[self::h1 or self::h2][normalize-space(.)="${name}"]`;
const message = (text: string): string =>
  `//*[@role="region" or self::section][@aria-label="Messages"]//li[contains(., "${text}")]`;
const field = '//textarea[@aria-label="Message"]';

const expectShown = (tab: Tab, xpath: string): Promise<void> =>
  expect.poll(() => tab.isShown(xpath), { message: `shows ${xpath}`, timeout: 30_000 }).toBe(true);

const click = async (tab: Tab, xpath: string): Promise<void> => {
  // An element that is still animating cannot be clicked yet.
  await expect(() => tab.click(xpath)).toPass({ timeout: 30_000 });
};

const join = async (tab: Tab, gender: 'Woman' | 'Man'): Promise<void> => {
  // The landing page has this button twice.
  await click(tab, `(${button('Join Anonymously')})[1]`);
  await click(tab, radio(gender));
  await click(tab, button('Confirm'));
  await click(tab, button('Maybe Later'));
};

const sendMessage = async (tab: Tab, text: string): Promise<void> => {
  await tab.type(field, text);
  await tab.press(field, 'Enter');
};

test('two strangers join, meet, chat both ways, edit, and part', async ({ strangers: [ada, bob] }) => {
  await join(ada, 'Woman');
  await join(bob, 'Man');
  await click(ada, button('Find Conversation'));
  await expectShown(ada, heading('Looking for someone...'));
  await click(bob, button('Find Conversation'));
  for (const tab of [ada, bob]) await expectShown(tab, message('You are now chatting with'));

  await sendMessage(ada, 'hello');
  await expectShown(bob, message('hello'));
  await sendMessage(bob, 'hi yourself');
  await expectShown(ada, message('hi yourself'));

  // Arrow Up puts the user's own last message into the field, to be edited.
  await ada.press(field, 'ArrowUp');
  await sendMessage(ada, ' there');
  await expectShown(bob, message('hello there'));
  await expectShown(bob, message('(edited)'));

  await click(ada, button('Skip Chat'));
  await click(ada, button('Confirm'));
  await expectShown(ada, heading('Looking for someone...'));
  await expectShown(bob, heading('Chat Ended'));
});
