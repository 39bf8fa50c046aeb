import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect, test } from './test.ts';

/** Waits until all animations have finished, because colours are transient during an animation. */
const waitForAnimations = (page: Page): Promise<unknown> =>
  page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter(
          (animation) =>
            // Leaves out infinite animations and those driven by scrolling, which never finish.
            animation.timeline === document.timeline &&
            animation.effect?.getComputedTiming().iterations !== Infinity,
        )
        .map((animation) => animation.finished.catch(() => undefined)),
    ),
  );

/** Injected instead of the source of axe. AxeBuilder would replace '' by that source. */
const emptyScript = ';';

export interface CheckedPart {
  /** Selector of the part to check; the whole page by default. */
  within?: string;
}

/** Creates a check with axe. The source of axe is half a megabyte long, so it is injected only once per document. */
const createAxe = async (page: Page, { within }: CheckedPart): Promise<AxeBuilder> => {
  const isInjected = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder({ page, ...(isInjected && { axeSource: emptyScript }) }).options({
    resultTypes: ['violations'],
  });
  return within ? axe.include(within) : axe;
};

const findViolations = async (axe: AxeBuilder): Promise<string[]> => {
  // Without legacy mode, axe opens another page to check cross-origin frames, which Thaw does not have.
  const { violations } = await axe.setLegacyMode().analyze();
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
};

const applyTheme = async (page: Page, theme: 'dark' | 'light'): Promise<void> => {
  await page.evaluate((name) => void (document.documentElement.dataset.theme = name), theme);
  await waitForAnimations(page);
};

/** Expects that the page does not scroll horizontally. @param state  the state of the page, for the failure message */
export const expectNoOverflow = async (page: Page, state: string): Promise<void> => {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `horizontal scroll, ${state}, ${page.viewportSize()?.width} px`).toBeLessThanOrEqual(0);
};

/** Whether the Playwright project fixes the screen size and the theme, like those of playwright.screens.config.ts. */
export const isScreenProject = (): boolean => test.info().project.metadata.isScreenProject === true;

/**
 * Expects no axe violations in either theme, and no horizontal scrolling. Only the contrast rule depends on the theme,
 * so it alone is checked in the other theme, which the page does not use. Restores the theme of the page. A Playwright
 * project with a fixed theme checks only that theme.
 * @param state  the state of the page, for the failure message
 */
export const expectAccessible = async (page: Page, state: string, part: CheckedPart = {}): Promise<void> => {
  const describeCheck = (theme: string) => `axe, ${state}, ${theme}, ${page.viewportSize()?.width} px`;
  const isLight = await page.evaluate(() => document.documentElement.dataset.theme === 'light');
  const [theme, otherTheme] = isLight ? (['light', 'dark'] as const) : (['dark', 'light'] as const);
  if (!isScreenProject()) {
    await applyTheme(page, otherTheme);
    const contrastOnly = (await createAxe(page, part)).withRules(['color-contrast']);
    expect(await findViolations(contrastOnly), describeCheck(otherTheme)).toEqual([]);
  }
  await applyTheme(page, theme);
  expect(await findViolations(await createAxe(page, part)), describeCheck(theme)).toEqual([]);
  await expectNoOverflow(page, state);
};

/** Expects an open dialog with this name to be accessible, like `expectAccessible`. */
export const expectAccessibleDialog = async (page: Page, name: string): Promise<void> => {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectAccessible(page, name, { within: '[role="dialog"]' });
};

const isLongRun = process.env.THAW_TEST_LONG === '1';
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

/**
 * Like `expectAccessible`, but at phone and at desktop width. A Playwright project with a fixed screen size checks only
 * that size. Colours do not depend on the width, so only the long run (THAW_TEST_LONG=1) checks them at phone width
 * too. Leaves the page at desktop width.
 */
export const expectAccessibleOnPhoneAndDesktop = async (
  page: Page,
  state: string,
  part: CheckedPart = {},
): Promise<void> => {
  if (isScreenProject()) return expectAccessible(page, state, part);
  await page.setViewportSize(phone);
  if (isLongRun) await expectAccessible(page, state, part);
  else {
    const axe = (await createAxe(page, part)).disableRules(['color-contrast']);
    expect(await findViolations(axe), `axe, ${state}, ${phone.width} px`).toEqual([]);
    await expectNoOverflow(page, state);
  }
  await page.setViewportSize(desktop);
  await expectAccessible(page, state, part);
};
