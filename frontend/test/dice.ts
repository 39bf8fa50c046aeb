/** Random choices determined by a seed. */
export interface Dice {
  /** An integer from `least` to `most`, both included. */
  between(least: number, most: number): number;
  coin(): boolean;
  /** A random element; undefined when there is none. */
  of<Value>(values: readonly Value[]): Value | undefined;
  weighted<Choice extends readonly [weight: number, ...unknown[]]>(choices: readonly Choice[]): Choice;
  words(): string;
}

const vocabulary = [
  'hello',
  'ice',
  'thaw',
  'why',
  'yes',
  'no',
  '🎉',
  'really?',
  '<b>',
  'é',
  '"',
  '\\',
  '…',
  'ok',
];

/** Mulberry32. */
export const diceOf = (seed: number): Dice => {
  let state = seed >>> 0;
  const roll = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (least: number, most: number): number => least + Math.floor(roll() * (most - least + 1));
  const of = <Value>(values: readonly Value[]): Value | undefined => values[between(0, values.length - 1)];
  return {
    between,
    coin: () => roll() < 0.5,
    of,
    weighted(choices) {
      const total = choices.reduce((sum, [weight]) => sum + weight, 0);
      let left = roll() * total;
      const chosen = choices.find(([weight]) => (left -= weight) < 0) ?? choices.at(-1);
      if (!chosen) throw new Error('There is nothing to choose from');
      return chosen;
    },
    words: () => Array.from({ length: between(1, 6) }, () => of(vocabulary)).join(' '),
  };
};
