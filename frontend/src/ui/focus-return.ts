/** The element that had the focus when a dialog opened, by dialog. */
const openers = new WeakMap<Element, HTMLElement>();

// Optional, because jsdom does not have `checkVisibility`.
const isVisible = (element: Element): boolean =>
  element.isConnected && ((element as Partial<Element>).checkVisibility?.call(element) ?? true);

/**
 * Finds the opener of a dialog. If the opener is no longer visible, tries the opener of the dialog that contained it,
 * and so on outwards.
 */
const findReturnTarget = (dialog: Element): HTMLElement | undefined => {
  let opener = openers.get(dialog);
  while (opener && !isVisible(opener)) {
    const outer: Element | null = opener.closest('[role="dialog"]');
    opener = outer ? openers.get(outer) : undefined;
  }
  return opener;
};

/**
 * Handler of a dialog's `onOpenAutoFocus`. Radix returns the focus only to its own triggers, which this page does not
 * use.
 */
export const rememberFocus = ({ target }: Event): void => {
  const { activeElement } = document;
  if (target instanceof Element && activeElement instanceof HTMLElement && activeElement !== document.body) {
    openers.set(target, activeElement);
  }
};

/** Finds the element to focus when the opener no longer exists: the dialog beneath, or the heading of the screen. */
const findFallbackTarget = (dialog: Element): HTMLElement | undefined => {
  // Without an opener, nothing had the focus before.
  if (!openers.has(dialog)) return undefined;
  const beneath = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].findLast(
    (other) => other !== dialog,
  );
  const headings = [...document.querySelectorAll<HTMLElement>('main h1[tabindex]')];
  return beneath ?? headings.find((heading) => !heading.closest('[inert]'));
};

/** Handler of a dialog's `onCloseAutoFocus`. */
export const returnFocus = (event: Event): void => {
  event.preventDefault();
  if (!(event.target instanceof Element)) return;
  const returnTarget = findReturnTarget(event.target);
  const replacingDialog = document.activeElement?.closest('[role="dialog"]');
  // The closing dialog is already removed, so a focused dialog has replaced it, and inherits its opener unless it
  // already has a visible opener.
  if (!replacingDialog) (returnTarget ?? findFallbackTarget(event.target))?.focus();
  else if (returnTarget && !findReturnTarget(replacingDialog)) openers.set(replacingDialog, returnTarget);
};
