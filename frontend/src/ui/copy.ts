/** Texts built into the components; all others are passed as props. */
export const copy = {
  close: 'Close',
  retry: 'Try again',
  discard: { question: 'Discard your changes?', confirm: 'Discard', cancel: 'Keep editing' },
} as const;
