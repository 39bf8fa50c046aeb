import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@playwright/test';
import { findFreePort } from '../../e2e/support/free-port.ts';
import { type Browser, type Key, type Tab } from './tab.ts';
import { WebDriverError, WebDriverSession } from './webdriver.ts';

const startTimeoutMs = 30_000;
/** Codes of special keys in the WebDriver protocol. */
const keys: Record<Key, string> = { Enter: '\uE007', ArrowUp: '\uE013' };

const stopProcess = async (process: ChildProcess): Promise<void> => {
  if (process.exitCode !== null) return;
  const ended = once(process, 'exit');
  process.kill();
  await ended;
};

const createTab = (session: WebDriverSession): Tab => ({
  open: async (url) => void (await session.open(url)),
  isShown: async (xpath) => {
    try {
      return await session.isDisplayed(await session.find(xpath));
    } catch (error) {
      const isGone =
        error instanceof WebDriverError &&
        ['no such element', 'stale element reference'].includes(error.code);
      if (isGone) return false;
      throw error;
    }
  },
  click: async (xpath) => void (await session.click(await session.find(xpath))),
  type: async (xpath, text) => void (await session.type(await session.find(xpath), text)),
  press: async (xpath, key) => void (await session.type(await session.find(xpath), keys[key])),
  // The protocol reports no console errors.
  pageErrors: () => [],
});

/** WebKitGTK's MiniBrowser. A driver has one session, so each visitor has a driver and a browser of their own. */
export const startWebKit = async (programs: {
  driver: string;
  browser: string;
  /** Provides a virtual display. */
  xvfb: string;
}): Promise<Browser> => {
  /** Called in order by `close`: a session ends before its driver, and the display stops last. */
  const onClose: (() => Promise<unknown>)[] = [];
  // Xvfb writes the number of its display to file descriptor 3.
  const display = spawn(
    programs.xvfb,
    ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    },
  );
  onClose.push(() => stopProcess(display));
  const [displayNumber] = (await once(display.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  const env = {
    ...process.env,
    DISPLAY: `:${String(displayNumber).trim()}`,
    // The virtual display is an X server without graphics hardware.
    GDK_BACKEND: 'x11',
    LIBGL_ALWAYS_SOFTWARE: '1',
  };
  return {
    newVisitor: async () => {
      const port = await findFreePort();
      const driver = spawn(programs.driver, [`--port=${port}`], { stdio: 'ignore', env });
      onClose.unshift(() => stopProcess(driver));
      const address = `http://127.0.0.1:${port}`;
      await expect(async () => {
        expect((await fetch(`${address}/status`)).ok).toBe(true);
      }).toPass({ timeout: startTimeoutMs });
      const session = await WebDriverSession.start(address, {
        'webkitgtk:browserOptions': { binary: programs.browser, args: ['--automation'] },
      });
      onClose.unshift(() => session.end());
      return createTab(session);
    },
    close: async () => {
      for (const close of onClose) await close();
    },
  };
};
