import { defineConfig } from '@playwright/test';

/** The main user journey in browsers driven over their own protocols; Playwright is only the test runner. */
export default defineConfig({
  testDir: 'e2e-other-browsers',
  globalSetup: './e2e/support/products.ts',
  workers: 1,
  retries: process.env.CI === 'true' ? 1 : 0,
  forbidOnly: process.env.CI === 'true',
  timeout: 180_000,
  reporter: [['list']],
  projects: [{ name: 'firefox' }, { name: 'webkit' }],
});
