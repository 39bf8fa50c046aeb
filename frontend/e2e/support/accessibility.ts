import { AxeBuilder } from '@axe-core/playwright';
import { type Page } from '@playwright/test';
import { expect, test } from './test.ts';

type Theme = 'dark' | 'light';

const isLongRun = process.env.THAW_TEST_LONG === '1';
const phone = { width: 390, height: 844 };
const desktop = { width: 1280, height: 800 };

/** Takes the place of axe's source in a document that already has axe. With '', AxeBuilder would inject the source. */
const emptyScript = ';';

export interface CheckedPart {
  /** Selector of the part to check; the whole page by default. */
  within?: string;
}

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

/** Creates a check with axe. The source of axe is half a megabyte long, so it is injected only once per document. */
const createAxe = async (page: Page, { within }: CheckedPart): Promise<AxeBuilder> => {
  const isInjected = await page.evaluate(() => 'axe' in window);
  const axe = new AxeBuilder({ page, ...(isInjected && { axeSource: emptyScript }) }).options({
    resultTypes: ['violations'],
  });
  return within ? axe.include(within) : axe;
};

/** @param description  of the check, for the failure message */
const expectNoViolations = async (axe: AxeBuilder, description: string): Promise<void> => {
  // Without legacy mode, axe opens another page to check cross-origin frames, which Thaw does not have.
  const { violations } = await axe.setLegacyMode().analyze();
  const texts = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(texts, description).toEqual([]);
};

const readTheme = async (page: Page): Promise<Theme> => {
  const theme = await page.evaluate(() => document.documentElement.dataset.theme);
  return theme === 'light' ? 'light' : 'dark';
};

const applyTheme = async (page: Page, theme: Theme): Promise<void> => {
  await page.evaluate((name) => void (document.documentElement.dataset.theme = name), theme);
  await waitForAnimations(page);
};

/** Expects that the page does not scroll horizontally. @param state  the state of the page, for the failure message */
export const expectNoOverflow = async (page: Page, state: string): Promise<void> => {
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `horizontal scroll, ${state}, ${page.viewportSize()?.width} px`).toBeLessThanOrEqual(0);
};

/** Whether the Playwright project is one of playwright.screens.config.ts, which fix the screen size and the theme. */
export const isScreenProject = (): boolean => test.info().project.metadata.isScreenProject === true;

/**
 * Expects no axe violations, and no horizontal scrolling. Checks all rules in the page's own theme. Before that, it
 * switches to the other theme and checks only the contrast, because no other rule depends on the theme. A screen
 * project skips the other theme. At the end, the page has its own theme again.
 * @param state  the state of the page, for the failure message
 */
export const expectAccessible = async (page: Page, state: string, part: CheckedPart = {}): Promise<void> => {
  const describeCheck = (theme: Theme) => `axe, ${state}, ${theme}, ${page.viewportSize()?.width} px`;
  const theme = await readTheme(page);
  if (!isScreenProject()) {
    const otherTheme = theme === 'dark' ? 'light' : 'dark';
    await applyTheme(page, otherTheme);
    const contrastOnly = (await createAxe(page, part)).withRules(['color-contrast']);
    await expectNoViolations(contrastOnly, describeCheck(otherTheme));
  }
  await applyTheme(page, theme);
  await expectNoViolations(await createAxe(page, part), describeCheck(theme));
  await expectNoOverflow(page, state);
};

/** Expects an open dialog with this name to be accessible, like `expectAccessible`. */
export const expectAccessibleDialog = async (page: Page, name: string): Promise<void> => {
  await expect(page.getByRole('dialog', { name })).toBeVisible();
  await expectAccessible(page, name, { within: '[role="dialog"]' });
};

/** Like `expectAccessible`, but without the contrast, in one theme. */
const expectAccessibleApartFromContrast = async (
  page: Page,
  state: string,
  part: CheckedPart,
): Promise<void> => {
  const axe = (await createAxe(page, part)).disableRules(['color-contrast']);
  await expectNoViolations(axe, `axe, ${state}, ${page.viewportSize()?.width} px`);
  await expectNoOverflow(page, state);
};

/**
 * Like `expectAccessible`, but at phone and at desktop width. Colours do not depend on the width, so only the long run
 * (THAW_TEST_LONG=1) checks the contrast at phone width too. Leaves the page at desktop width. A screen project checks
 * only its own size.
 */
export const expectAccessibleOnPhoneAndDesktop = async (
  page: Page,
  state: string,
  part: CheckedPart = {},
): Promise<void> => {
  if (isScreenProject()) return expectAccessible(page, state, part);
  await page.setViewportSize(phone);
  if (isLongRun) await expectAccessible(page, state, part);
  else await expectAccessibleApartFromContrast(page, state, part);
  await page.setViewportSize(desktop);
  await expectAccessible(page, state, part);
};
