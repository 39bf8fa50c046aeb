import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect, test } from './test.ts';

/** Colours during an animation are transient, so wait until animations have finished. */
const waitForAnimations = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(
          (animation) =>
            // Neither infinite animations nor those driven by scrolling.
            animation.timeline === document.timeline &&
            animation.effect?.getComputedTiming().iterations !== Infinity,
        )
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );

export interface CheckedPart {
  /** Selector of the part to check; the whole page by default. */
  within?: string;
}

/** Injects axe once into each document: its source has half a megabyte. */
const createAxe = async (page: Page, { within }: CheckedPart): Promise<AxeBuilder> => {
  const isInjected = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder({ page, ...(isInjected && { axeSource: ';' }) }).options({
    resultTypes: ['violations'],
  });
  return within ? axe.include(within) : axe;
};

const findViolations = async (axe: AxeBuilder): Promise<string[]> => {
  // Legacy mode: without it axe opens a page of its own for frames of other origins, of which there are none.
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const showTheme = async (page: Page, theme: 'dark' | 'light'): Promise<void> => {
  await page.evaluate((name) => void (document.documentElement.dataset.theme = name), theme);
  await waitForAnimations(page);
};

export const expectNoOverflow = async (page: Page, state: string): Promise<void> => {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `sideways scroll, ${state}, ${page.viewportSize()?.width} px`).toBeLessThanOrEqual(0);
};

/** Whether each screen and theme has a project of its own, as in playwright.screens.config.ts. */
export const isOneOfScreens = (): boolean => test.info().project.metadata.isOneOfScreens === true;

/**
 * Expects no axe violations in the dark and light themes, and nothing wider than the page. Checks both themes on the
 * same page, for the other theme only the one rule that depends on it; the page keeps its theme.
 */
export const expectAccessible = async (page: Page, state: string, place: CheckedPart = {}): Promise<void> => {
  const describeCheck = (theme: string) => `axe, ${state}, ${theme}, ${page.viewportSize()?.width} px`;
  const isLight = await page.evaluate(() => document.documentElement.dataset.theme === 'light');
  const [theme, otherTheme] = isLight ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  if (!isOneOfScreens()) {
    await showTheme(page, otherTheme);
    const colours = (await createAxe(page, place)).withRules(['color-contrast']);
    expect(await findViolations(colours), describeCheck(otherTheme)).toEqual([]);
  }
  await showTheme(page, theme);
  expect(await findViolations(await createAxe(page, place)), describeCheck(theme)).toEqual([]);
  await expectNoOverflow(page, state);
};

export const expectAccessibleDialog = async (page: Page, name: string): Promise<void> => {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectAccessible(page, name, { within: '[role="dialog"]' });
};

const isLongRun = process.env.THAW_TEST_LONG === '1';
const phone = { width: 390, height: 844 };
const desk = { width: 1280, height: 800 };

/**
 * Checks desktop and phone, or in the matrix of screens the own one. Colours do not depend on the width, so the phone
 * skips them except in the long run.
 */
export const expectAccessibleEverywhere = async (
  page: Page,
  state: string,
  place: CheckedPart = {},
): Promise<void> => {
  if (isOneOfScreens()) return expectAccessible(page, state, place);
  await page.setViewportSize(phone);
  if (isLongRun) await expectAccessible(page, state, place);
  else {
    const axe = (await createAxe(page, place)).disableRules(['color-contrast']);
    expect(await findViolations(axe), `axe, ${state}, ${phone.width} px`).toEqual([]);
    await expectNoOverflow(page, state);
  }
  await page.setViewportSize(desk);
  await expectAccessible(page, state, place);
};
