/** Maps each dialog to its opener: the element that had the focus when the dialog opened. */
const openers = new WeakMap<Element, HTMLElement>();

// jsdom, which the tests use, does not have `checkVisibility`.
const isVisible = (element: Element): boolean =>
  element.isConnected && ((element as Partial<Element>).checkVisibility?.() ?? true);

/**
 * Finds the opener of a dialog. If the opener is no longer visible, tries the opener of the dialog that contained it,
 * and so on outwards.
 */
const findReturnTarget = (dialog: Element): HTMLElement | undefined => {
  let opener = openers.get(dialog);
  while (opener && !isVisible(opener)) {
    const outerDialog: Element | null = opener.closest('[role="dialog"]');
    opener = outerDialog ? openers.get(outerDialog) : undefined;
  }
  return opener;
};

/**
 * Handler for `onOpenAutoFocus` of a Radix dialog: records the dialog's opener. Radix itself returns the focus only to
 * its own trigger components, which this page does not use.
 */
export const rememberFocus = ({ target }: Event): void => {
  // The body is the active element while no element has the focus.
  const { activeElement } = document;
  if (target instanceof Element && activeElement instanceof HTMLElement && activeElement !== document.body) {
    openers.set(target, activeElement);
  }
};

/** Finds the element to focus when no opener is visible: the dialog beneath, or the heading of the screen. */
const findFallbackTarget = (dialog: Element): HTMLElement | undefined => {
  // Without an opener, no element had the focus when the dialog was opened, so none gets it back.
  if (!openers.has(dialog)) return undefined;
  const dialogBeneath = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  const headings = [...document.querySelectorAll<HTMLElement>('main h1[tabindex]')];
  return dialogBeneath ?? headings.find((heading) => !heading.closest('[inert]'));
};

/**
 * Handler for `onCloseAutoFocus` of a Radix dialog: focuses the dialog's opener, or another suitable element. Radix
 * calls it after the dialog has been removed from the document.
 */
export const returnFocus = (event: Event): void => {
  event.preventDefault();
  if (!(event.target instanceof Element)) return;
  const returnTarget = findReturnTarget(event.target);
  // A dialog that contains the focus has replaced the closed one.
  const replacingDialog = document.activeElement?.closest('[role="dialog"]');
  if (!replacingDialog) {
    (returnTarget ?? findFallbackTarget(event.target))?.focus();
    return;
  }
  // The replacing dialog inherits the opener, unless it has a visible opener itself.
  if (returnTarget && !findReturnTarget(replacingDialog)) openers.set(replacingDialog, returnTarget);
};
