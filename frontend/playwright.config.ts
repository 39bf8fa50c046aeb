import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { type DeviceOptions } from './e2e/support/test.ts';

export const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
/** Preferred where it is installed, because it opens and paints pages in half the time of `chromium`. */
const headlessShell = '/usr/bin/chromium-headless-shell';
const executablePath =
  process.env.CHROMIUM_PATH ?? (existsSync(headlessShell) ? headlessShell : '/usr/bin/chromium');
/** Test files that each run in a project of their own; the project `desk` runs all others. */
const filesWithOwnProject = {
  phone: 'phone.spec.ts',
  rightToLeft: 'right-to-left.spec.ts',
  frozen: 'frozen.spec.ts',
};

export default defineConfig<DeviceOptions>({
  testDir: 'e2e',
  globalSetup: './e2e/support/products.ts',
  // A product is a complete running Thaw. Each worker has its own, because all users of a product share one queue.
  // THAW_URL is the address of a single product, so it allows only one worker.
  workers: process.env.THAW_URL ? 1 : 3,
  // Lets an idle worker take the next test of any file.
  fullyParallel: true,
  // A busy machine can fail a test, so CI retries it once and reports it as flaky if it then passes.
  retries: process.env.CI === 'true' ? 1 : 0,
  forbidOnly: process.env.CI === 'true',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  projects: [
    { name: 'desk', testIgnore: Object.values(filesWithOwnProject) },
    { name: 'phone', testMatch: filesWithOwnProject.phone, use: { device: phone } },
    {
      name: 'right-to-left',
      testMatch: filesWithOwnProject.rightToLeft,
      use: { device: { locale: 'ar-EG' } },
    },
    { name: 'frozen', testMatch: filesWithOwnProject.frozen },
  ],
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/Warsaw',
    video: 'off',
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath,
      args: [
        '--headless',
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
});
