import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';
import { type DeviceOptions } from './e2e/support/test.ts';

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
// The one without windows draws and opens pages in half the time.
const shell = '/usr/bin/chromium-headless-shell';
const chromium = process.env.CHROMIUM_PATH ?? (existsSync(shell) ? shell : '/usr/bin/chromium');
/** Files that belong to one device; all others run on a desk. */
const onDevices = { phone: 'phone.spec.ts', rightToLeft: 'right-to-left.spec.ts', frozen: 'frozen.spec.ts' };

export default defineConfig<DeviceOptions>({
  testDir: 'e2e',
  globalSetup: './e2e/support/products.ts',
  // All tests of a product share one queue of strangers, so each worker has a product of its own.
  workers: process.env.THAW_URL ? 1 : 3,
  // Any test beside any other: a worker that is done takes the next test of whichever file.
  fullyParallel: true,
  // A machine that is busy elsewhere is no defect of the product: what fails is tried once more, and named if it passes.
  retries: process.env.CI === 'true' ? 1 : 0,
  forbidOnly: process.env.CI === 'true',
  timeout: 90_000,
  expect: { timeout: 15_000 },
  reporter: [['list']],
  projects: [
    { name: 'desk', testIgnore: Object.values(onDevices) },
    { name: 'phone', testMatch: onDevices.phone, use: { device: phone } },
    { name: 'right-to-left', testMatch: onDevices.rightToLeft, use: { device: { locale: 'ar-EG' } } },
    { name: 'frozen', testMatch: onDevices.frozen },
  ],
  use: {
    locale: 'en-GB',
    timezoneId: 'Europe/Warsaw',
    video: 'off',
    trace: 'on-first-retry',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: chromium,
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
