import { type Locator } from '@playwright/test';
import { isScreenProject } from './accessibility.ts';
import { expect } from './test.ts';

/**
 * Lists controls and headings of a part of the page that are cut off, overlap, or need horizontal scrolling. Ignores
 * screen-reader texts and inert elements; vertical scrolling is allowed.
 */
const findLayoutProblems = (part: Locator): Promise<string[]> =>
  part.evaluate((root: HTMLElement) => {
    // Positions are fractional, and rounding can shift an edge by up to 1 px.
    const tolerancePx = 1;
    const isVisible = (element: HTMLElement): boolean => {
      const { width, height } = element.getBoundingClientRect();
      // A text for screen readers only is 1 px wide and high.
      return width > 1 && height > 1 && element.checkVisibility() && element.closest('[inert]') === null;
    };
    const describeElement = (element: HTMLElement): string =>
      `<${element.localName}> ${(element.getAttribute('aria-label') ?? element.innerText).slice(0, 40)}`;

    /** Whether an element extends beyond these positions to the left or to the right. */
    const exceeds = (element: HTMLElement, bounds: { left: number; right: number }): boolean => {
      const { left, right } = element.getBoundingClientRect();
      return left < bounds.left - tolerancePx || right > bounds.right + tolerancePx;
    };
    const isOffPage = (element: HTMLElement): boolean =>
      exceeds(element, { left: 0, right: window.innerWidth });
    const isCutOff = (element: HTMLElement): boolean => {
      for (let ancestor = element.parentElement; ancestor; ancestor = ancestor.parentElement) {
        const clips = getComputedStyle(ancestor).overflowX !== 'visible';
        if (clips && exceeds(element, ancestor.getBoundingClientRect())) return true;
      }
      return false;
    };
    const needsHorizontalScrolling = (element: HTMLElement): boolean => {
      const { overflowX } = getComputedStyle(element);
      const isScroller = overflowX === 'auto' || overflowX === 'scroll';
      return isScroller && element.scrollWidth > element.clientWidth + tolerancePx;
    };
    const overlap = (one: HTMLElement, other: HTMLElement): boolean => {
      if (one.contains(other) || other.contains(one)) return false;
      const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
      const overlapX = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const overlapY = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      return overlapX > tolerancePx && overlapY > tolerancePx;
    };

    const problems: string[] = [];
    const checkedElements = [
      ...root.querySelectorAll<HTMLElement>('button, a[href], input, textarea, h1, h2, h3, li'),
    ].filter(isVisible);
    for (const element of checkedElements) {
      if (isOffPage(element)) problems.push(`off the page: ${describeElement(element)}`);
      if (isCutOff(element)) problems.push(`cut off: ${describeElement(element)}`);
    }
    for (const element of [root, ...root.querySelectorAll<HTMLElement>('*')]) {
      if (needsHorizontalScrolling(element))
        problems.push(`scrolls horizontally: ${describeElement(element)}`);
    }
    const mustNotOverlap = checkedElements.filter((element) =>
      element.matches('button, a[href], h1, h2, input'),
    );
    for (const [index, first] of mustNotOverlap.entries()) {
      for (const second of mustNotOverlap.slice(index + 1)) {
        if (overlap(first, second))
          problems.push(`overlap: ${describeElement(first)} and ${describeElement(second)}`);
      }
    }
    return problems;
  });

/**
 * Expects every control and heading of a part of the page to be completely visible, not overlapping, and reachable
 * without horizontal scrolling.
 * @param state  the state of the page, for the failure message
 */
export const expectIntactLayout = async (part: Locator, state: string): Promise<void> => {
  await expect(part).toBeVisible();
  const page = part.page();
  const stateAndWidth = `${state}, ${page.viewportSize()?.width} px`;
  await expect.poll(() => findLayoutProblems(part), { message: stateAndWidth, timeout: 5_000 }).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `horizontal scroll, ${stateAndWidth}`).toBeLessThanOrEqual(0);
};

const smallestScreen = { width: 320, height: 700 };

/**
 * Like `expectIntactLayout`, but on the smallest supported screen. Afterwards restores the size of the page. In a
 * Playwright project with a fixed screen size, checks the layout in that size instead.
 */
export const expectIntactLayoutOnSmallScreen = async (part: Locator, state: string): Promise<void> => {
  const page = part.page();
  const screen = page.viewportSize();
  if (!screen || isScreenProject()) return expectIntactLayout(part, state);
  await page.setViewportSize(smallestScreen);
  await expectIntactLayout(part, state);
  await page.setViewportSize(screen);
};
