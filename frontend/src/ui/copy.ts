/** Texts of the parts themselves; everything else is given to them. */
export const copy = { close: 'Close' } as const;
