/** Maps each dialog to its opener: the element that had the focus when the dialog opened. */
const openers = new WeakMap<Element, HTMLElement>();

// jsdom, which the tests use, does not have `checkVisibility`.
const isVisible = (element: Element): boolean =>
  element.isConnected && ((element as Partial<Element>).checkVisibility?.() ?? true);

/** The element with the focus. While no element has it, the browser reports the body as the active element. */
const findFocusedElement = (): HTMLElement | undefined => {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : undefined;
};

/**
 * Finds the visible opener of a dialog. If the opener is no longer visible but was inside another dialog, finds the
 * visible opener of that dialog.
 */
const findVisibleOpener = (dialog: Element): HTMLElement | undefined => {
  const opener = openers.get(dialog);
  if (!opener || isVisible(opener)) return opener;
  const outerDialog = opener.closest('[role="dialog"]');
  return outerDialog ? findVisibleOpener(outerDialog) : undefined;
};

/** Finds the element to focus when no opener is visible: the dialog beneath, or the heading of the screen. */
const findFallbackTarget = (dialog: Element): HTMLElement | undefined => {
  // Without an opener, no element had the focus when the dialog was opened, so none gets it back.
  if (!openers.has(dialog)) return undefined;
  const dialogBeneath = [...document.querySelectorAll<HTMLElement>('[role="dialog"]')].at(-1);
  const focusableHeadings = [...document.querySelectorAll<HTMLElement>('main h1[tabindex]')];
  return dialogBeneath ?? focusableHeadings.find((heading) => !heading.closest('[inert]'));
};

/** Lets a dialog that has replaced another one return the focus to the opener of the other, if it has none itself. */
const inheritOpener = (replacingDialog: Element, closedDialog: Element): void => {
  const opener = findVisibleOpener(closedDialog);
  if (opener && !findVisibleOpener(replacingDialog)) openers.set(replacingDialog, opener);
};

/**
 * Handler for `onOpenAutoFocus` of a Radix dialog: records the dialog's opener. Radix itself returns the focus only to
 * its own trigger components, which this application does not use.
 */
export const rememberFocus = ({ target: dialog }: Event): void => {
  const opener = findFocusedElement();
  if (dialog instanceof Element && opener) openers.set(dialog, opener);
};

/**
 * Handler for `onCloseAutoFocus` of a Radix dialog: focuses the dialog's opener, or another suitable element. Radix
 * calls it after the dialog has been removed from the document.
 */
export const returnFocus = (event: Event): void => {
  event.preventDefault();
  const { target: closedDialog } = event;
  if (!(closedDialog instanceof Element)) return;
  // A dialog that already contains the focus has replaced the closed one.
  const replacingDialog = document.activeElement?.closest('[role="dialog"]');
  if (replacingDialog) inheritOpener(replacingDialog, closedDialog);
  else (findVisibleOpener(closedDialog) ?? findFallbackTarget(closedDialog))?.focus();
};
