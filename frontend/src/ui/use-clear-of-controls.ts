import { useLayoutEffect, useState } from 'react';

/** Wide enough for a toast in the middle of the top bar, beside every control. */
const roomy = '(min-width: 64rem)';
/** Marks the bars whose buttons stay in reach while a toast is shown. */
const bars = '[data-controls]';
/** Further down it would be taken for a part of the page, as where a phone lies on its side. */
const lowestShare = 0.5;

/** The lower edge of the bars in use, in px: those of an open dialog, else those of the page. */
export const edgeOfControls = (page: Document = document): number => {
  if (page.defaultView?.matchMedia(roomy).matches) return 0;
  // A popover is a dialog, too, but has no bars of its own.
  const dialog = [...page.querySelectorAll(`[role="dialog"][data-state="open"]:has(${bars})`)].at(-1);
  const inUse = [...(dialog ?? page).querySelectorAll(bars)].filter((bar) => !bar.closest('[inert]'));
  const edge = Math.max(0, ...inUse.map((bar) => bar.getBoundingClientRect().bottom));
  return edge <= (page.defaultView?.innerHeight ?? 0) * lowestShare ? edge : 0;
};

/** Where a toast stands clear of the page's controls, which may come and go while it is shown. */
export const useClearOfControls = (isShown: boolean): number => {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    if (!isShown) return;
    const place = (): void => setTop(edgeOfControls());
    place();
    const observer = new MutationObserver(place);
    observer.observe(document.body, { childList: true, subtree: true });
    window.addEventListener('resize', place);
    return () => {
      observer.disconnect();
      window.removeEventListener('resize', place);
    };
  }, [isShown]);
  return top;
};
