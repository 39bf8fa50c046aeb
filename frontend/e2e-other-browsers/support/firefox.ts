import { type ConsoleMessage, launch, type Page } from 'puppeteer-core';
import { type Browser, type Tab } from './tab.ts';

const toSelector = (xpath: string): string => `xpath/${xpath}`;

const createTab = (page: Page): Tab => {
  const pageErrors: string[] = [];
  page.on('pageerror', (error) => pageErrors.push(`thrown: ${String(error)}`));
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') pageErrors.push(`console: ${message.text()}`);
  });
  return {
    open: async (url) => void (await page.goto(url)),
    isShown: async (xpath) => (await (await page.$(toSelector(xpath)))?.isVisible()) ?? false,
    click: (xpath) => page.locator(toSelector(xpath)).click(),
    type: async (xpath, text) => {
      await page.focus(toSelector(xpath));
      await page.keyboard.type(text);
    },
    press: async (xpath, key) => {
      await page.focus(toSelector(xpath));
      await page.keyboard.press(key);
    },
    pageErrors: () => pageErrors,
  };
};

/**
 * Drives Firefox over WebDriver BiDi. Each `newVisitor` starts a Firefox of its own, because a background tab paints
 * nothing.
 */
export const startFirefox = (program: string): Browser => {
  const closeBrowsers: (() => Promise<void>)[] = [];
  return {
    newVisitor: async () => {
      const browser = await launch({ browser: 'firefox', executablePath: program, headless: true });
      closeBrowsers.push(() => browser.close());
      return createTab(await browser.newPage());
    },
    close: async () => {
      for (const close of closeBrowsers) await close();
    },
  };
};
