import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { expect } from '@playwright/test';
import { findFreePort } from '../../e2e/support/free-port.ts';
import { type Browser, type Key, type Tab } from './tab.ts';
import { WebDriverError, WebDriverSession } from './webdriver.ts';

const startTimeoutMs = 30_000;
/** Codes of special keys in the WebDriver protocol. */
const keys: Record<Key, string> = { Enter: '\uE007', ArrowUp: '\uE013' };

const stopProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null) return;
  const ended = once(child, 'exit');
  child.kill();
  await ended;
};

const createTab = (session: WebDriverSession): Tab => ({
  open: async (url) => {
    await session.open(url);
  },
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
  click: async (xpath) => {
    await session.click(await session.find(xpath));
  },
  type: async (xpath, text) => {
    await session.type(await session.find(xpath), text);
  },
  press: async (xpath, key) => {
    await session.type(await session.find(xpath), keys[key]);
  },
  // The protocol reports no console errors.
  pageErrors: () => [],
});

/** Starts a virtual display with the program Xvfb. @returns its process, and its name, such as `:1` */
const startDisplay = async (xvfb: string): Promise<{ display: ChildProcess; displayName: string }> => {
  // Xvfb writes the number of its display to file descriptor 3.
  const display = spawn(xvfb, ['-displayfd', '3', '-screen', '0', '1280x800x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = (await once(display.stdio[3] as NodeJS.ReadableStream, 'data')) as [Buffer];
  return { display, displayName: `:${String(number).trim()}` };
};

const waitUntilReady = (driverUrl: string): Promise<void> =>
  expect(async () => {
    expect((await fetch(`${driverUrl}/status`)).ok).toBe(true);
  }).toPass({ timeout: startTimeoutMs });

/** WebKitGTK's MiniBrowser. A driver has one session, so each visitor has a driver and a browser of their own. */
export const startWebKit = async (programs: {
  driver: string;
  browser: string;
  /** Provides a virtual display. */
  xvfb: string;
}): Promise<Browser> => {
  const { display, displayName } = await startDisplay(programs.xvfb);
  /** In the order in which they are called: a session ends before its driver, and the display stops last. */
  const closers: (() => Promise<unknown>)[] = [() => stopProcess(display)];
  const env = {
    ...process.env,
    DISPLAY: displayName,
    // The virtual display is an X server without graphics hardware.
    GDK_BACKEND: 'x11',
    LIBGL_ALWAYS_SOFTWARE: '1',
  };
  return {
    newVisitor: async () => {
      const port = await findFreePort();
      const driver = spawn(programs.driver, [`--port=${port}`], { stdio: 'ignore', env });
      closers.unshift(() => stopProcess(driver));
      const driverUrl = `http://127.0.0.1:${port}`;
      await waitUntilReady(driverUrl);
      const session = await WebDriverSession.start(driverUrl, {
        'webkitgtk:browserOptions': { binary: programs.browser, args: ['--automation'] },
      });
      closers.unshift(() => session.end());
      return createTab(session);
    },
    close: async () => {
      for (const close of closers) await close();
    },
  };
};
