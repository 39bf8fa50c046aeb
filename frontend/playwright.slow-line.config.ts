import { defineConfig } from '@playwright/test';
import desktopConfig from './playwright.config.ts';

/** Tests timings over a slow connection, one test at a time and without retries; only in `npm run test:long`. */
export default defineConfig({
  ...desktopConfig,
  testDir: 'e2e-slow-line',
  workers: 1,
  retries: 0,
  projects: [{ name: 'slow line' }],
});
