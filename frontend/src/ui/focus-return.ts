// The element that had the focus when each dialog opened.
const openers = new WeakMap<Element, HTMLElement>();

const isThere = (element: Element): boolean =>
  element.isConnected && ((element as Partial<Element>).checkVisibility?.call(element) ?? true);

/** The opener of the dialog. If it was removed with the dialog that contained it, the opener of that dialog. */
const placeOf = (dialog: Element): HTMLElement | undefined => {
  let opener = openers.get(dialog);
  while (opener && !isThere(opener)) {
    const outer: Element | null = opener.closest('[role="dialog"]');
    opener = outer ? openers.get(outer) : undefined;
  }
  return opener;
};

/**
 * Handler of a dialog's `onOpenAutoFocus`. Radix returns the focus only to its own triggers, which are not used here.
 */
export const rememberFocus = ({ target }: Event): void => {
  const { activeElement } = document;
  if (target instanceof Element && activeElement instanceof HTMLElement && activeElement !== document.body) {
    openers.set(target, activeElement);
  }
};

/** Handler of a dialog's `onCloseAutoFocus`. */
export const returnFocus = (event: Event): void => {
  event.preventDefault();
  if (!(event.target instanceof Element)) return;
  const place = placeOf(event.target);
  const successor = document.activeElement?.closest('[role="dialog"]');
  // A dialog that replaced this one inherits its opener.
  if (!successor) place?.focus();
  else if (place && !placeOf(successor)) openers.set(successor, place);
};
