import { defineConfig } from '@playwright/test';
import { type DeviceOptions } from './e2e/support/test.ts';
import desktopConfig, { phone } from './playwright.config.ts';

/** Device options by the width of the screen in px. */
const screens = {
  320: { ...phone, viewport: { width: 320, height: 700 } },
  390: phone,
  1280: { viewport: { width: 1280, height: 800 } },
};
const themes = ['dark', 'light'] as const;

/** Runs the tests of the safety features at three screen sizes and in both themes; only in `npm run test:long`. */
export default defineConfig<DeviceOptions>({
  ...desktopConfig,
  testMatch: ['blocks', 'reports', 'moderation', 'standing'].map((name) => `${name}.spec.ts`),
  projects: Object.entries(screens).flatMap(([width, device]) =>
    themes.map((theme) => ({
      name: `${width} px, ${theme}`,
      // Tests read this with `isScreenProject`, and then check only the size and the theme of the project.
      metadata: { isScreenProject: true },
      use: { device, theme },
    })),
  ),
});
