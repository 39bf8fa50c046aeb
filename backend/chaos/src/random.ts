/** Random numbers determined by a seed. */
export interface Random {
  /** At least 0 and below 1. */
  nextFraction(): number;
  /** An integer from `low` to `high`, both included. */
  chooseBetween(low: number, high: number): number;
  /** @throws Error when there are no items */
  pick<Item>(items: readonly Item[]): Item;
  /** Returns true with this probability. @param probability from 0 to 1 */
  isChosen(probability: number): boolean;
  /** A shuffled copy. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Uses the generator Mulberry32, which has 32 bits of state and gives the same numbers on every machine. */
export const createSeededRandom = (seed: number): Random => {
  let state = seed >>> 0;
  const nextFraction = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
  const chooseBetween = (low: number, high: number): number =>
    low + Math.floor(nextFraction() * (high - low + 1));
  return {
    nextFraction,
    chooseBetween,
    pick: (items) => {
      if (items.length === 0) throw new Error('There is nothing to pick from');
      return items[chooseBetween(0, items.length - 1)] as (typeof items)[number];
    },
    isChosen: (probability) => nextFraction() < probability,
    shuffle(items) {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = chooseBetween(0, last);
        [shuffled[last], shuffled[other]] = [
          shuffled[other] as (typeof items)[number],
          shuffled[last] as (typeof items)[number],
        ];
      }
      return shuffled;
    },
  };
};
