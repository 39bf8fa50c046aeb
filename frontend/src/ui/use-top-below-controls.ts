import { useLayoutEffect, useState } from 'react';

/** From this width a toast fits in the top bar next to the controls. */
const wideScreenQuery = '(min-width: 64rem)';
/** Marks the bars whose buttons a toast must not cover. */
const barSelector = '[data-controls]';
/** Largest share of the window's height: further down, a toast would look like part of the page. */
const maxHeightShare = 0.5;
/** Height in px that is enough for a toast of a few lines and its margin. */
const toastHeightPx = 112;

/**
 * Returns the lower edge, in px, of the bars of the open dialog on top, or else of the page. Returns 0, the top of the
 * window, on a wide screen, and if the edge is too far down. Also returns 0 if a toast fits above the dialog, because
 * below the dialog's title the toast would cover the dialog's controls.
 */
export const findLowerEdgeOfControls = (page: Document = document): number => {
  if (page.defaultView?.matchMedia(wideScreenQuery).matches) return 0;
  // Requires a bar, because popovers also have the role `dialog`.
  const dialog = [...page.querySelectorAll(`[role="dialog"][data-state="open"]:has(${barSelector})`)].at(-1);
  if (dialog && dialog.getBoundingClientRect().top >= toastHeightPx) return 0;
  const activeBars = [...(dialog ?? page).querySelectorAll(barSelector)].filter(
    (bar) => !bar.closest('[inert]'),
  );
  const lowerEdge = Math.max(0, ...activeBars.map((bar) => bar.getBoundingClientRect().bottom));
  return lowerEdge <= (page.defaultView?.innerHeight ?? 0) * maxHeightShare ? lowerEdge : 0;
};

/** Returns the top offset, in px, at which a toast covers no controls; updated when bars appear or disappear. */
export const useTopBelowControls = (isShown: boolean): number => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!isShown) return;
    const updateTop = (): void => setTop(findLowerEdgeOfControls());
    updateTop();
    const observer = new MutationObserver(updateTop);
    observer.observe(document.body, { childList: true, subtree: true });
    window.addEventListener('resize', updateTop);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', updateTop);
    };
  }, [isShown]);
  return top;
};
