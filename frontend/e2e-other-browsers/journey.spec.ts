import { test as base } from '../e2e/support/test.ts';
import { expect } from '@playwright/test';
import { startFirefox } from './support/firefox.ts';
import { type Browser, type Tab } from './support/tab.ts';
import { startWebKit } from './support/webkit.ts';

// `npm run test:optional` sets the paths for the browser that it tests.
const { FIREFOX_PATH = '', WEBKIT_DRIVER_PATH = '', WEBKIT_BROWSER_PATH = '', XVFB_PATH = '' } = process.env;

/** By the name of the Playwright project. */
const browserStarters: Record<string, () => Browser | Promise<Browser>> = {
  firefox: () => startFirefox(FIREFOX_PATH),
  webkit: () => startWebKit({ driver: WEBKIT_DRIVER_PATH, browser: WEBKIT_BROWSER_PATH, xvfb: XVFB_PATH }),
};

const test = base.extend<{ strangers: [Tab, Tab] }>({
  strangers: async ({ address }, provide, { project }) => {
    const startBrowser = browserStarters[project.name];
    if (!startBrowser) throw new Error(`No browser is known for the project ${project.name}`);
    const browser = await startBrowser();
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

/** The expressions with which a `Tab` finds elements. */
const xpaths = {
  button: (name: string) => `//button[normalize-space(.)="${name}"]`,
  /** Only in dialogs: the page behind a dialog has a choice of the partner's gender, with options of the same names. */
  radioInDialog: (name: string) => `//*[@role="dialog"]//*[@role="radio"][normalize-space(.)="${name}"]`,
  heading: (name: string) => `//*[self::h1 or self::h2][normalize-space(.)="${name}"]`,
  message: (text: string) =>
    `//*[@role="region" or self::section][@aria-label="Messages"]//li[contains(., "${text}")]`,
  messageField: '//textarea[@aria-label="Message"]',
};

const expectShown = (tab: Tab, xpath: string): Promise<void> =>
  expect.poll(() => tab.isShown(xpath), { message: `shows ${xpath}`, timeout: 30_000 }).toBe(true);

const click = async (tab: Tab, xpath: string): Promise<void> => {
  // An element that is still animating cannot be clicked yet.
  await expect(() => tab.click(xpath)).toPass({ timeout: 30_000 });
};

const join = async (tab: Tab, gender: 'Woman' | 'Man'): Promise<void> => {
  // The landing page has this button twice.
  await click(tab, `(${xpaths.button('Join Anonymously')})[1]`);
  await click(tab, xpaths.radioInDialog(gender));
  await click(tab, xpaths.button('Confirm'));
  // Declines the account that the page offers to anonymous users.
  await click(tab, xpaths.button('Maybe Later'));
};

/** Types after the text that the message field may contain already, and sends it all. */
const sendMessage = async (tab: Tab, text: string): Promise<void> => {
  await tab.type(xpaths.messageField, text);
  await tab.press(xpaths.messageField, 'Enter');
};

test('two strangers join, meet, chat both ways, edit, and part', async ({ strangers: [ada, bob] }) => {
  await join(ada, 'Woman');
  await join(bob, 'Man');
  await click(ada, xpaths.button('Find Conversation'));
  await expectShown(ada, xpaths.heading('Looking for someone...'));
  await click(bob, xpaths.button('Find Conversation'));
  for (const tab of [ada, bob]) await expectShown(tab, xpaths.message('You are now chatting with'));

  await sendMessage(ada, 'hello');
  await expectShown(bob, xpaths.message('hello'));
  await sendMessage(bob, 'hi yourself');
  await expectShown(ada, xpaths.message('hi yourself'));

  // Arrow Up puts Ada's last message into the message field, to be edited.
  await ada.press(xpaths.messageField, 'ArrowUp');
  await sendMessage(ada, ' there');
  await expectShown(bob, xpaths.message('hello there'));
  await expectShown(bob, xpaths.message('(edited)'));

  await click(ada, xpaths.button('Skip Chat'));
  await click(ada, xpaths.button('Confirm'));
  await expectShown(ada, xpaths.heading('Looking for someone...'));
  await expectShown(bob, xpaths.heading('Chat Ended'));
});
