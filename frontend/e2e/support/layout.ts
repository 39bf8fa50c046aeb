import { type Locator } from '@playwright/test';
import { isOneOfScreens } from './accessibility.ts';
import { expect } from './test.ts';

/**
 * Lists controls and headings of a place that are cut off, overlap, or need horizontal scrolling. Ignores screen-reader
 * texts and inert elements; vertical scrolling is allowed.
 */
const findFaults = (place: Locator): Promise<string[]> =>
  place.evaluate((root: HTMLElement) => {
    const slackPx = 1;
    const isVisible = (element: HTMLElement): boolean => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.checkVisibility() && element.closest('[inert]') === null;
    };
    const describeElement = (element: HTMLElement): string =>
      `<${element.localName}> ${(element.getAttribute('aria-label') ?? element.innerText).slice(0, 40)}`;
    const found: string[] = [];

    const watched = [
      ...root.querySelectorAll<HTMLElement>('button, a[href], input, textarea, h1, h2, h3, li'),
    ].filter(isVisible);
    for (const element of watched) {
      const { left, right } = element.getBoundingClientRect();
      if (left < -slackPx || right > window.innerWidth + slackPx)
        found.push(`off the page: ${describeElement(element)}`);
      for (let outer = element.parentElement; outer; outer = outer.parentElement) {
        if (getComputedStyle(outer).overflowX === 'visible') continue;
        const clip = outer.getBoundingClientRect();
        if (left < clip.left - slackPx || right > clip.right + slackPx) {
          found.push(`cut off: ${describeElement(element)}`);
          break;
        }
      }
    }

    for (const element of [root, ...root.querySelectorAll<HTMLElement>('*')]) {
      const { overflowX } = getComputedStyle(element);
      const isScroller = overflowX === 'auto' || overflowX === 'scroll';
      if (isScroller && element.scrollWidth > element.clientWidth + slackPx) {
        found.push(`scrolls sideways: ${describeElement(element)}`);
      }
    }

    const separate = watched.filter((element) => element.matches('button, a[href], h1, h2, input'));
    for (const [index, one] of separate.entries()) {
      for (const other of separate.slice(index + 1)) {
        if (one.contains(other) || other.contains(one)) continue;
        const [a, b] = [one.getBoundingClientRect(), other.getBoundingClientRect()];
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        if (across > slackPx && down > slackPx)
          found.push(`overlap: ${describeElement(one)} and ${describeElement(other)}`);
      }
    }
    return found;
  });

/**
 * Expects every control and heading of the place to be complete, not overlapping, and reachable without horizontal
 * scrolling.
 */
export const expectIntactLayout = async (place: Locator, state: string): Promise<void> => {
  await expect(place).toBeVisible();
  const page = place.page();
  const where = `${state}, ${page.viewportSize()?.width} px`;
  await expect.poll(() => findFaults(place), { message: where, timeout: 5_000 }).toEqual([]);
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  expect(overflow, `sideways scroll, ${where}`).toBeLessThanOrEqual(0);
};

const small = { width: 320, height: 700 };

/**
 * Like `expectIntactLayout`, on the smallest screen, or in the matrix of screens on this one. The page keeps its size.
 */
export const expectIntactLayoutOnSmallScreen = async (place: Locator, state: string): Promise<void> => {
  const page = place.page();
  const screen = page.viewportSize();
  if (!screen || isOneOfScreens()) return expectIntactLayout(place, state);
  await page.setViewportSize(small);
  await expectIntactLayout(place, state);
  await page.setViewportSize(screen);
};
