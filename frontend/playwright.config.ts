import { defineConfig } from '@playwright/test';

export default defineConfig({
  testDir: 'e2e',
  // All tests of a product share one queue of strangers, so each worker has a product of its own.
  workers: process.env.THAW_URL ? 1 : 2,
  fullyParallel: false,
  // A machine that is busy elsewhere is no defect of the product: what fails is tried once more, and named if it passes.
  retries: process.env.CI === 'true' ? 1 : 0,
  forbidOnly: process.env.CI === 'true',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/Warsaw',
    video: 'off',
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
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
