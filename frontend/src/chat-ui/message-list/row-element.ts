/** Finds the row of the message list that contains an element. */
export const findRow = (target: EventTarget | null): HTMLElement | null =>
  target instanceof Element ? target.closest<HTMLElement>('li[data-index]') : null;

/** Reads the index of a row among the messages. */
export const readRowIndex = (row: HTMLElement): number => Number(row.dataset.index);
