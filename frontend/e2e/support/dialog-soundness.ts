import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect } from './test.ts';

/** No violation that axe knows of in the open dialog, in either theme, and nothing wider than the page. */
export const expectDialogSound = async (page: Page, name: string): Promise<void> => {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  for (const theme of ['light', 'dark']) {
    await page.evaluate((chosen) => (document.documentElement.dataset.theme = chosen), theme);
    // What is still moving has colours that nobody is meant to read.
    await page.evaluate(() =>
      Promise.all(
        document
          .getAnimations()
          .filter((animation) => animation.effect?.getComputedTiming().iterations !== Infinity)
          .map((animation) => animation.finished.catch(() => undefined)),
      ),
    );
    const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
    expect(
      violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`),
      `axe, ${name}, ${theme}`,
    ).toEqual([]);
  }
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `sideways scroll, ${name}`).toBeLessThanOrEqual(0);
};
