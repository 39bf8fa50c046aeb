import { defineConfig } from '@playwright/test';
import desk from './playwright.config.ts';

/** Times over a slow line, in the long form of the tests alone: one page at a time, and no second try. */
export default defineConfig({
  ...desk,
  testDir: 'e2e-slow-line',
  workers: 1,
  retries: 0,
  projects: [{ name: 'slow line' }],
});
