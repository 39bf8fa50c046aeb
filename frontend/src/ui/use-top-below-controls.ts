import { useLayoutEffect, useState } from 'react';

/** From this width a toast fits in the top bar beside every control. */
const wideScreenQuery = '(min-width: 64rem)';
/** Marks the bars whose buttons a toast must not cover. */
const barSelector = '[data-controls]';
/**
 * Largest share of the window's height: further down, as on a phone in landscape, a toast would look like part of the
 * page.
 */
const maxHeightShare = 0.5;
/** Height in px that is enough for a toast of a few lines and its margin. */
const toastHeightPx = 112;

/**
 * Finds the lower edge in px of the bars in use: those of an open dialog, otherwise those of the page. 0 where a toast
 * fits above the dialog, whose choices it would cover below the title.
 */
export const findLowerEdgeOfControls = (page: Document = document): number => {
  if (page.defaultView?.matchMedia(wideScreenQuery).matches) return 0;
  // A popover also has the role `dialog`, but no bars of its own.
  const dialog = [...page.querySelectorAll(`[role="dialog"][data-state="open"]:has(${barSelector})`)].at(-1);
  if (dialog && dialog.getBoundingClientRect().top >= toastHeightPx) return 0;
  const inUse = [...(dialog ?? page).querySelectorAll(barSelector)].filter((bar) => !bar.closest('[inert]'));
  const edge = Math.max(0, ...inUse.map((bar) => bar.getBoundingClientRect().bottom));
  return edge <= (page.defaultView?.innerHeight ?? 0) * maxHeightShare ? edge : 0;
};

/** Top offset in px at which a toast covers no controls; follows bars that appear and disappear while it is shown. */
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
