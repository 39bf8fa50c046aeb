import { useLayoutEffect, useState } from 'react';

/** From this width a toast fits in the top bar next to the controls. */
const wideScreenQuery = '(min-width: 64rem)';
/** Marks the bars whose buttons a toast must not cover. */
const barSelector = '[data-controls]';
/** The lowest start of a toast, as a share of the window height. Below it, a toast would look like part of the page. */
const maxTopShare = 0.5;
/** Height in px that is enough for a toast of a few lines and its margin. */
const toastHeightPx = 112;

/**
 * Finds the lower edge of the bars of the topmost open dialog, or of the page if no dialog is open.
 * @returns px from the top of the window. 0, the default position of toasts, in three cases: the screen is wide; the
 * edge is too far down; or a toast fits above the dialog, where it covers no controls of the dialog.
 */
export const findLowerEdgeOfControls = (page: Document = document): number => {
  if (page.defaultView?.matchMedia(wideScreenQuery).matches) return 0;
  // Requires a bar, because popovers also have the role `dialog`.
  const dialog = [...page.querySelectorAll(`[role="dialog"][data-state="open"]:has(${barSelector})`)].at(-1);
  if (dialog && dialog.getBoundingClientRect().top >= toastHeightPx) return 0;
  // The random chat beneath a private chat is inert, and its bars are covered.
  const activeBars = [...(dialog ?? page).querySelectorAll(barSelector)].filter(
    (bar) => !bar.closest('[inert]'),
  );
  const lowerEdge = Math.max(0, ...activeBars.map((bar) => bar.getBoundingClientRect().bottom));
  return lowerEdge <= (page.defaultView?.innerHeight ?? 0) * maxTopShare ? lowerEdge : 0;
};

/** Returns the top offset of a toast, in px. Updates it when elements are added or removed or the window is resized. */
export const useToastTop = (isShown: boolean): number => {
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
