/** Random choices determined by a seed. */
export interface Dice {
  /** An integer from `least` to `most`, both included. */
  pickBetween(least: number, most: number): number;
  /** True or false, equally often. */
  flipCoin(): boolean;
  /** A random element; undefined if there are no elements. */
  pick<Value>(values: readonly Value[]): Value | undefined;
  /**
   * Picks one of the choices, each with a probability in proportion to its weight, which is its first element.
   * @throws Error if there are no choices
   */
  pickWeighted<Choice extends readonly [weight: number, ...unknown[]]>(choices: readonly Choice[]): Choice;
  /** One to six words, some of them with characters that are escaped in HTML or JSON. */
  createWords(): string;
}

const words = ['hello', 'ice', 'thaw', 'why', 'yes', 'no', '🎉', 'really?', '<b>', 'é', '"', '\\', '…', 'ok'];

/** Uses the generator Mulberry32, which has 32 bits of state and yields the same numbers on every machine. */
export const createDice = (seed: number): Dice => {
  let state = seed >>> 0;
  /** A number from 0 to 1, excluding 1. */
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const pickBetween = (least: number, most: number): number =>
    least + Math.floor(roll() * (most - least + 1));
  const pick = <Value>(values: readonly Value[]): Value | undefined =>
    values[pickBetween(0, values.length - 1)];
  return {
    pickBetween,
    flipCoin: () => roll() < 0.5,
    pick,
    pickWeighted(choices) {
      const total = choices.reduce((sum, [weight]) => sum + weight, 0);
      let remaining = roll() * total;
      // Subtracts one weight after the other until `remaining` is below 0. Because of rounding, it may end at 0 after
      // all weights: then the last choice is taken.
      const chosen = choices.find(([weight]) => (remaining -= weight) < 0) ?? choices.at(-1);
      if (!chosen) throw new Error('There is nothing to choose from');
      return chosen;
    },
    createWords: () => Array.from({ length: pickBetween(1, 6) }, () => pick(words)).join(' '),
  };
};
