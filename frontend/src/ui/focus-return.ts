// Where the focus was when each dialog opened.
const openers = new WeakMap<Element, HTMLElement>();

const isThere = (element: Element): boolean =>
  element.isConnected && ((element as Partial<Element>).checkVisibility?.call(element) ?? true);

/** The opener, or, where that went with the dialog that it stood in, that dialog's opener. */
const placeOf = (dialog: Element): HTMLElement | undefined => {
  let opener = openers.get(dialog);
  while (opener && !isThere(opener)) {
    const outer: Element | null = opener.closest('[role="dialog"]');
    opener = outer ? openers.get(outer) : undefined;
  }
  return opener;
};

/** For a dialog's `onOpenAutoFocus`: Radix returns the focus to a trigger of its own alone, and ours have none. */
export const rememberFocus = ({ target }: Event): void => {
  const { activeElement } = document;
  if (target instanceof Element && activeElement instanceof HTMLElement && activeElement !== document.body) {
    openers.set(target, activeElement);
  }
};

/** For a dialog's `onCloseAutoFocus`. */
export const returnFocus = (event: Event): void => {
  event.preventDefault();
  if (!(event.target instanceof Element)) return;
  const place = placeOf(event.target);
  const successor = document.activeElement?.closest('[role="dialog"]');
  // The dialog that took this one's place will give the focus back in its stead.
  if (!successor) place?.focus();
  else if (place && !placeOf(successor)) openers.set(successor, place);
};
