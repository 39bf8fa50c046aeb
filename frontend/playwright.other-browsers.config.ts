import { defineConfig } from '@playwright/test';

/**
 * Runs the main user journey in Firefox and WebKit. The tests drive these browsers over the browsers' own protocols, so
 * Playwright is only the test runner.
 */
export default defineConfig({
  testDir: 'e2e-other-browsers',
  // Starts the whole product, with its own PostgreSQL and Redis.
  globalSetup: './e2e/support/products.ts',
  workers: 1,
  retries: process.env.CI === 'true' ? 1 : 0,
  forbidOnly: process.env.CI === 'true',
  // One test contains the whole journey.
  timeout: 180_000,
  reporter: [['list']],
  projects: [{ name: 'firefox' }, { name: 'webkit' }],
});
