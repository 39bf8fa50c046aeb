import { deathWishes, sexualDemands, slurs } from '@/chat-ui/insults/insult-list';
import { PhraseTrie, RunCollector } from '@/chat-ui/insults/phrase-trie';

const phrases = [...slurs, ...deathWishes, ...sexualDemands];
const trie = new PhraseTrie(phrases);

/** Collects the runs of a text: a run is one character, or the same character several times in a row. */
const collectRuns = (text: string): RunCollector => {
  const runs = new RunCollector(text.length);
  for (const character of text) runs.add(character.charCodeAt(0));
  return runs;
};

/** A single letter matches once or more, a double letter twice or more: 'foot' becomes 'f+o{2,}t+'. */
const toPattern = (phrase: string): string =>
  phrase.replaceAll(/(.)(\1?)/g, (_, letter: string, second: string) => letter + (second ? '{2,}' : '+'));

/** One regular expression for each phrase. Each phrase has at most one optional part, in brackets: 'foot[s]'. */
const expressions = phrases.map((phrase) => {
  const [before = '', optional = '', after = ''] = phrase.split(/[[\]]/);
  const patterns = [`${before}${after}`, `${before}${optional}${after}`].map(toPattern);
  return new RegExp(`\\b(?:${patterns.join('|')})\\b`);
});
const isFoundByExpressions = (text: string): boolean =>
  expressions.some((expression) => expression.test(text));

/** Creates a generator of numbers from 0 to below 1 (mulberry32). The same seed gives the same numbers. */
const createRandom = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/** Creates a generator of random texts: one to five words or phrases of the lists, half of them distorted. */
const createTextGenerator = (seed: number): (() => string) => {
  const random = createRandom(seed);
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!;
  const words = [...new Set(phrases.flatMap((phrase) => phrase.split(/[ [\]]+/)))];
  /** Repeats about 10 % of the letters, leaves out 3 % and replaces 2 %. */
  const distort = (text: string): string =>
    [...text]
      .map((letter) => {
        const chance = random();
        if (chance < 0.1) return letter.repeat(2 + Math.floor(random() * 2));
        if (chance < 0.13) return '';
        if (chance < 0.15) return pick(['x', '_', '7', '!', '[', '\0']);
        return letter;
      })
      .join('');
  const generatePart = (): string => {
    const part = random() < 0.4 ? pick(phrases).replaceAll(/\[|\]/g, '') : pick(words);
    return random() < 0.5 ? distort(part) : part;
  };
  return () => {
    const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, generatePart);
    return parts.join(pick([' ', ' ', ' ', '  ', '', '!'])); // usually one space
  };
};

it('finds what one regular expression for each phrase finds, in 20,000 random texts', () => {
  const generateText = createTextGenerator(17);
  const counts = { found: 0, clean: 0 };
  for (let round = 0; round < 20_000; round += 1) {
    const text = generateText();
    const isFound = isFoundByExpressions(text);
    // The text is compared, too, so that a failure shows it.
    expect([text, trie.matches(collectRuns(text))]).toEqual([text, isFound]);
    counts[isFound ? 'found' : 'clean'] += 1;
  }
  // Both results are frequent, so the test covers both.
  expect(Math.min(counts.found, counts.clean)).toBeGreaterThan(2_000);
});

/** The average number of look-ups in the maps of the trie for each character of a text. */
const averageLookUps = (text: string): number => {
  const runs = collectRuns(text);
  const lookUp = jest.spyOn(Map.prototype, 'get');
  trie.matches(runs);
  const { length } = lookUp.mock.calls;
  lookUp.mockRestore();
  return length / text.length;
};

// Most of these are beginnings of phrases, some misspelt, so the trie starts to follow a phrase at each repetition.
it.each([
  'a',
  'cun ',
  'show me your ',
  'show me youur ',
  'send me a ',
  'i will ',
  'kil yourself ',
  'nig ',
  's ',
  '!a',
  ' ',
])('needs at most 8 look-ups for each character of repeated %j, however long the text is', (part) => {
  const inShortText = averageLookUps(part.repeat(1_000));
  const inLongText = averageLookUps(part.repeat(10_000));
  expect(inLongText).toBeCloseTo(inShortText, 1);
  expect(inLongText).toBeLessThanOrEqual(8);
});
