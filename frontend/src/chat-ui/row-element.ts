/** The row of a list of messages that something in the page belongs to. */
export const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;

/** Where a row stands among the messages. */
export const indexOf = (row: HTMLElement): number => Number(row.dataset.index);
