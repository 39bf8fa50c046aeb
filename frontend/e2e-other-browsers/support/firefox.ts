import { type ConsoleMessage, launch, type Page } from 'puppeteer-core';
import { type Browser, type Tab } from './tab.ts';

const located = (xpath: string): string => `xpath/${xpath}`;

const tabOf = (page: Page): Tab => {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`thrown: ${String(error)}`));
  page.on('console', (message: ConsoleMessage) => {
    if (message.type() === 'error') complaints.push(`console: ${message.text()}`);
  });
  return {
    open: async (url) => void (await page.goto(url)),
    isShown: async (xpath) => (await (await page.$(located(xpath)))?.isVisible()) ?? false,
    click: (xpath) => page.locator(located(xpath)).click(),
    type: async (xpath, text) => {
      await page.focus(located(xpath));
      await page.keyboard.type(text);
    },
    press: async (xpath, key) => {
      await page.focus(located(xpath));
      await page.keyboard.press(key);
    },
    complaints: () => complaints,
  };
};

/** Firefox over WebDriver BiDi. A background tab paints nothing, so each visitor has a browser of their own. */
export const startFirefox = (program: string): Browser => {
  const onClose: (() => Promise<void>)[] = [];
  return {
    newVisitor: async () => {
      const browser = await launch({ browser: 'firefox', executablePath: program, headless: true });
      onClose.push(() => browser.close());
      return tabOf(await browser.newPage());
    },
    close: async () => {
      for (const close of onClose) await close();
    },
  };
};
