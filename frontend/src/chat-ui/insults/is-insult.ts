import { remapCharactersTransformer, resolveConfusablesTransformer } from 'obscenity';
import { withCache } from '@/chat-ui/insults/code-point-cache';
import { allowedPhrases, deathWishes, sexualDemands, slurs } from '@/chat-ui/insults/insult-list';
import { PhraseTrie, RunCollector } from '@/chat-ui/insults/phrase-trie';
import { removeAccents } from '@/chat-ui/insults/remove-accents';

/**
 * Characters that users write in place of letters. "!" and "(" are not listed, because they usually end a word.
 * `simplify` replaces a "!" between two letters.
 */
const leetLetters = { a: '@4', e: '3', i: '1', o: '0', s: '$5', t: '7' };

const insults = new PhraseTrie([...slurs, ...deathWishes, ...sexualDemands]);
/** Matches at the beginning of a word, so that endings are allowed. */
const allowedPhrase = new RegExp(`\\b(?:${allowedPhrases.join('|')})`, 'giu');

const confusables = resolveConfusablesTransformer();
const leet = remapCharactersTransformer(leetLetters);

const ASCII_SIZE = 128;

/**
 * The code of the lower-case ASCII letter that a character looks like, or of the character itself; 0 if it is not
 * ASCII.
 */
const resolveLetter = (codePoint: number): number => {
  const looksLike = confusables.transform(codePoint) ?? codePoint;
  const code = leet.transform(looksLike) ?? looksLike;
  return code < ASCII_SIZE ? String.fromCharCode(code).toLowerCase().charCodeAt(0) : 0;
};

const getLetter = withCache(resolveLetter);

/** Calls `visit` with each code point of a text. Faster than `for … of`, which creates a string for each of them. */
const forEachCodePoint = (text: string, visit: (codePoint: number) => void): void => {
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    if (codePoint > 0xffff) index += 1; // it consists of two UTF-16 units
    visit(codePoint);
  }
};

// In the next patterns, a lookbehind for what is before a character stands after this character and repeats it. At the
// beginning of the pattern, it would be tried at every position of the text.
/** Matches a "!" between two letters, which stands for "i". */
const exclamationMarkInWord = /!(?<=\p{L}!)(?=\p{L})/gu;
/** Matches the spaces of "a b c". */
const spaceBetweenSingleLetters = / (?<=(?<!\p{L})\p{L} )(?=\p{L}(?!\p{L}))/gu;

/** Undoes the disguises that concern more than one character, and removes `allowedPhrases`. */
const simplify = (text: string): string =>
  removeAccents(text)
    .replace(exclamationMarkInWord, 'i')
    .replace(/[\s_*.,;:-]+/g, ' ')
    .replace(spaceBetweenSingleLetters, '')
    .replace(allowedPhrase, '');

/** Collects the runs of a text: a run is one letter with its repetitions. */
const collectRuns = (text: string): RunCollector => {
  const runs = new RunCollector(text.length);
  forEachCodePoint(text, (codePoint) => runs.add(getLetter(codePoint)));
  return runs;
};

/** The recent results of `isInsult`. */
const results = new Map<string, boolean>();
const maxResults = 500;

/** Whether a text contains an insult or a sexual demand. Takes linear time. Recent results are cached. */
export const isInsult = (text: string): boolean => {
  const cached = results.get(text);
  if (cached !== undefined) return cached;
  if (results.size >= maxResults) results.clear();
  const isFound = insults.matches(collectRuns(simplify(text)));
  results.set(text, isFound);
  return isFound;
};
