/** A cube seen from a corner, its three faces a hairline apart; view box 24 × 24. */
export const iceCubePath =
  'M12 1.5 21 6.6 12 11.7 3 6.6ZM2.4 7.9 11.3 12.9V22.8L2.4 17.8ZM21.6 7.9 12.7 12.9V22.8L21.6 17.8Z';
