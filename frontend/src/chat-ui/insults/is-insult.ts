import { remapCharactersTransformer, resolveConfusablesTransformer } from 'obscenity';
import { allowedPhrases, deathWishes, sexualDemands, slurs } from '@/chat-ui/insults/insult-list';
import { PhraseTrie, RunCollector } from '@/chat-ui/insults/phrase-trie';

/**
 * Characters that users write in place of letters. "!" and "(" are not listed, because they end words. `simplify`
 * replaces a "!" between two letters.
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
  if (code >= ASCII_SIZE) return 0;
  // From upper case to lower case.
  return code >= 65 && code <= 90 ? code + 32 : code;
};

/** Matches apostrophes, accents and invisible characters, which are ignored inside of words. */
const ignoredCharacter = /['’`´\p{M}\p{Cf}]/u;
/** @returns 1 for an ignored character, otherwise 0: `withCache` stores numbers */
const toIgnoredFlag = (codePoint: number): number =>
  Number(ignoredCharacter.test(String.fromCodePoint(codePoint)));

/** The first two planes of Unicode, which contain all alphabets in use, letters for formulas, and emojis. */
const CACHED_CODE_POINTS = 0x20000;

/** Caches the results of a function for the code points below `CACHED_CODE_POINTS`. The results must be below 255. */
const withCache = (compute: (codePoint: number) => number): ((codePoint: number) => number) => {
  /** The results plus 1; 0 where there is no result yet. */
  const cache = new Uint8Array(CACHED_CODE_POINTS);
  return (codePoint) => {
    const cached = cache[codePoint];
    if (cached) return cached - 1;
    const value = compute(codePoint);
    // An assignment beyond the end of the array has no effect.
    cache[codePoint] = value + 1;
    return value;
  };
};
const getLetter = withCache(resolveLetter);
const isIgnored = withCache(toIgnoredFlag);

/** The base letter of an ignored character. No character has this code. */
const NO_LETTER = 0xffff;

/** The cache of `getBaseLetter`, by UTF-16 unit; 0 where there is no result yet. */
const baseLetters = new Uint16Array(0x10000);

const computeBaseLetter = (unit: number): number => {
  const [base, ...others] = [...String.fromCharCode(unit).normalize('NFD')].filter(
    (character) => !ignoredCharacter.test(character),
  );
  if (base === undefined) return NO_LETTER;
  // A Korean syllable is normalized to several letters. It remains one character.
  if (others.length > 0) return unit;
  // NUL, the unit 0, is ignored, because 0 in the cache means that there is no result.
  return base.charCodeAt(0) || NO_LETTER;
};

/** Returns the UTF-16 unit of a letter without its accents, or `NO_LETTER` for an ignored character. */
const getBaseLetter = (unit: number): number => {
  const cached = baseLetters[unit];
  if (cached) return cached;
  const result = computeBaseLetter(unit);
  baseLetters[unit] = result;
  return result;
};

/** Calls `visit` with each code point of a text. Faster than `for … of`, which creates a string for each of them. */
const forEachCodePoint = (text: string, visit: (codePoint: number) => void): void => {
  for (let index = 0; index < text.length; index += 1) {
    const codePoint = text.codePointAt(index) ?? 0;
    // Such a code point consists of two UTF-16 units.
    if (codePoint > 0xffff) index += 1;
    visit(codePoint);
  }
};

/** Matches a text of ASCII characters without ' and `, which has nothing to remove. */
const plainText = /^[\0-&(-_a-\x7f]*$/;
const utf16 = new TextDecoder('utf-16le');

/**
 * Removes accents and ignored characters in one pass: `normalize` and a regular expression would take four times as
 * long.
 */
const fold = (text: string): string => {
  if (plainText.test(text)) return text;
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    const isSurrogate = unit >= 0xd800 && unit < 0xe000;
    const codePoint = isSurrogate ? (text.codePointAt(index) ?? 0) : unit;
    if (codePoint <= 0xffff) {
      const base = getBaseLetter(unit);
      if (base !== NO_LETTER) units[length++] = base;
      continue;
    }
    // A code point of two units.
    index += 1;
    if (isIgnored(codePoint)) continue;
    units[length++] = unit;
    units[length++] = text.charCodeAt(index);
  }
  return utf16.decode(units.subarray(0, length));
};

/**
 * Undoes the disguises that concern more than one character. A lookbehind at the beginning of an expression would be
 * tried at every position of the text. So it follows the character that it concerns, and repeats this character.
 */
const simplify = (text: string): string =>
  fold(text)
    // "!" between two letters stands for "i".
    .replace(/!(?<=\p{L}!)(?=\p{L})/gu, 'i')
    .replace(/[\s_*.,;:-]+/g, ' ')
    // Joins single letters: "a b c" becomes "abc".
    .replace(/ (?<=(?<!\p{L})\p{L} )(?=\p{L}(?!\p{L}))/gu, '')
    .replace(allowedPhrase, '');

/** Collects the runs of a text: a run is one letter with its repetitions. */
const collectRuns = (text: string): RunCollector => {
  const runs = new RunCollector(text.length);
  forEachCodePoint(text, (codePoint) => runs.add(getLetter(codePoint)));
  return runs;
};

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
