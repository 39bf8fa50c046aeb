import {
  assignIncrementingIds,
  collapseDuplicatesTransformer,
  parseRawPattern,
  RegExpMatcher,
  remapCharactersTransformer,
  resolveConfusablesTransformer,
  toAsciiLowerCaseTransformer,
} from 'obscenity';
import { allowed, deathWishes, sexualDemands, slurs } from '@/chat-ui/insults/insult-list';

/** Characters in place of letters. Not those that end a sentence or open a bracket: they end words. */
const leetLetters = { a: '@4', e: '3', i: '1', o: '0', s: '$5', t: '7' };

/** @param kept  how many of the same letter in a row are kept; without an entry one */
const createMatcher = (phrases: readonly string[], kept: ReadonlyMap<string, number>): RegExpMatcher =>
  new RegExpMatcher({
    blacklistedTerms: assignIncrementingIds(phrases.map((phrase) => parseRawPattern(`|${phrase}|`))),
    blacklistMatcherTransformers: [
      resolveConfusablesTransformer(),
      remapCharactersTransformer(leetLetters),
      toAsciiLowerCaseTransformer(),
      collapseDuplicatesTransformer({ customThresholds: new Map(kept) }),
    ],
  });

const phrases = [...slurs, ...deathWishes, ...sexualDemands];
const hasDoubledLetter = (phrase: string): boolean => /(\p{L})\1/u.test(phrase);
// "Niger" must not become a slur, so letters that a listed word doubles are kept twice.
const matchers = [
  createMatcher(
    phrases.filter((phrase) => !hasDoubledLetter(phrase)),
    new Map(),
  ),
  createMatcher(phrases.filter(hasDoubledLetter), new Map([...'aglnost'].map((letter) => [letter, 2]))),
];

const allowedPhrase = new RegExp(`\\b(?:${allowed.join('|')})`, 'giu');

/** Undoes what the matchers do not: accents, invisible characters, marks inside of words, and letters that stand apart. */
const simplify = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/['’`´\p{M}\p{Cf}]/gu, '')
    .replace(/(?<=\p{L})!(?=\p{L})/gu, 'i')
    .replace(/[\s_*.,;:-]+/g, ' ')
    .replace(/(?<=(?<!\p{L})\p{L}) (?=\p{L}(?!\p{L}))/gu, '')
    .replace(allowedPhrase, '');

const known = new Map<string, boolean>();
const maxKnown = 500;

/** Whether a text contains an insult or a sexual demand. Takes linear time; the last results are kept. */
export const isInsult = (text: string): boolean => {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= maxKnown) known.clear();
  const simplified = simplify(text);
  const isFound = matchers.some((matcher) => matcher.hasMatch(simplified));
  known.set(text, isFound);
  return isFound;
};
