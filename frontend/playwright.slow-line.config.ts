import { defineConfig } from '@playwright/test';
import desktopConfig from './playwright.config.ts';

/** Timings over a slow connection, part of `npm run test:long` only: one page at a time, without retries. */
export default defineConfig({
  ...desktopConfig,
  testDir: 'e2e-slow-line',
  workers: 1,
  retries: 0,
  projects: [{ name: 'slow line' }],
});
