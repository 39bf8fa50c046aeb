import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect } from './test.ts';

/** What is still moving has colours that nobody is meant to read. */
const untilStill = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(
          (animation) =>
            // Neither what goes on for ever nor what moves with the page's scrolling.
            animation.timeline === document.timeline &&
            animation.effect?.getComputedTiming().iterations !== Infinity,
        )
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );

const violationsOf = async (axe: AxeBuilder): Promise<string[]> => {
  // No frames of other origins here, for which axe would open a page of its own each time.
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

export const expectNoOverflow = async (page: Page, state: string): Promise<void> => {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `sideways scroll, ${state}, ${page.viewportSize()?.width} px`).toBeLessThanOrEqual(0);
};

/**
 * As the page stands, dark and light: no violation that axe knows of, and nothing wider than the page. Both themes on
 * the same page, and of the second the one rule that depends on it. Leaves the page dark.
 */
export const expectSound = async (
  page: Page,
  state: string,
  { within }: { within?: string } = {},
): Promise<void> => {
  const axe = (): AxeBuilder =>
    within ? new AxeBuilder({ page }).include(within) : new AxeBuilder({ page });
  const themes = [
    ['light', () => axe().withRules(['color-contrast'])],
    ['dark', axe],
  ] as const;
  for (const [theme, rules] of themes) {
    await page.evaluate((name) => void (document.documentElement.dataset.theme = name), theme);
    await untilStill(page);
    const where = `axe, ${state}, ${theme}, ${page.viewportSize()?.width} px`;
    expect(await violationsOf(rules()), where).toEqual([]);
  }
  await expectNoOverflow(page, state);
};

export const expectDialogSound = async (page: Page, name: string): Promise<void> => {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectSound(page, name, { within: '[role="dialog"]' });
};

/** The same on a telephone and on a desk. */
export const expectSoundEverywhere = async (page: Page, state: string): Promise<void> => {
  for (const viewport of [
    { width: 390, height: 844 },
    { width: 1280, height: 800 },
  ]) {
    await page.setViewportSize(viewport);
    await expectSound(page, state);
  }
};
