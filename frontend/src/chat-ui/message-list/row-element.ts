/** The row of the message list that contains an element. */
export const rowOf = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;

/** Index of a row among the messages. */
export const indexOf = (row: HTMLElement): number => Number(row.dataset.index);
