/** Texts of the parts themselves; everything else is given to them. */
export const copy = {
  close: 'Close',
  retry: 'Try again',
  discard: { question: 'Discard your changes?', confirm: 'Discard', cancel: 'Keep editing' },
} as const;
