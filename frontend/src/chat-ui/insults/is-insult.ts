import { remapCharactersTransformer, resolveConfusablesTransformer } from 'obscenity';
import { allowed, deathWishes, sexualDemands, slurs } from '@/chat-ui/insults/insult-list';
import { PhraseTrie, RunCollector } from '@/chat-ui/insults/phrase-trie';

/** Characters in place of letters. Not those that end a sentence or open a bracket: they end words. */
const leetLetters = { a: '@4', e: '3', i: '1', o: '0', s: '$5', t: '7' };

const insults = new PhraseTrie([...slurs, ...deathWishes, ...sexualDemands]);
const allowedPhrase = new RegExp(`\\b(?:${allowed.join('|')})`, 'giu');

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
  return code >= 65 && code <= 90 ? code + 32 : code;
};

/** Accents, invisible characters, and marks that may stand inside of words. */
const ignored = /['’`´\p{M}\p{Cf}]/u;
const isIgnored = (codePoint: number): number => Number(ignored.test(String.fromCodePoint(codePoint)));

/** The planes of Unicode with all alphabets, letters for formulas, and emojis. */
const REMEMBERED = 0x20000;

/** Computes a number below 255 for each character, and remembers those of common characters. */
const remember = (compute: (codePoint: number) => number): ((codePoint: number) => number) => {
  const known = new Uint8Array(REMEMBERED);
  return (codePoint) => {
    const before = known[codePoint];
    if (before) return before - 1;
    const value = compute(codePoint);
    // Ignored beyond the end of the array.
    known[codePoint] = value + 1;
    return value;
  };
};
const getLetter = remember(resolveLetter);
const isLeftOut = remember(isIgnored);

/** Stands for a character that is left out. No character has this code. */
const NO_LETTER = 0xffff;

const baseLetters = new Uint16Array(0x10000);

/** The UTF-16 unit of a letter without its accents, or `NO_LETTER` for an ignored character. */
const getBaseLetter = (unit: number): number => {
  const before = baseLetters[unit];
  if (before) return before;
  const bases = [...String.fromCharCode(unit).normalize('NFD')].filter(
    (character) => !ignored.test(character),
  );
  const [base] = bases;
  // A Korean syllable has several letters and remains one character.
  const result = base === undefined ? NO_LETTER : bases.length === 1 ? base.charCodeAt(0) || NO_LETTER : unit;
  baseLetters[unit] = result;
  return result;
};

/** Calls a function with each character of a text. Faster than an iteration, which creates a string for each. */
const forEachCodePoint = (text: string, visit: (codePoint: number) => void): void => {
  for (let at = 0; at < text.length; at += 1) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    visit(codePoint);
  }
};

const isPlain = /^[\0-&(-_a-\x7f]*$/;
const utf16 = new TextDecoder('utf-16le');

/** Removes accents and ignored characters in one pass: `normalize` and a regular expression take four times as long. */
const fold = (text: string): string => {
  if (isPlain.test(text)) return text;
  const units = new Uint16Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const isSurrogate = unit >= 0xd800 && unit < 0xe000;
    const codePoint = isSurrogate ? (text.codePointAt(at) ?? 0) : unit;
    if (codePoint <= 0xffff) {
      const base = getBaseLetter(unit);
      if (base !== NO_LETTER) units[length++] = base;
      continue;
    }
    at += 1;
    if (isLeftOut(codePoint)) continue;
    units[length++] = unit;
    units[length++] = text.charCodeAt(at);
  }
  return utf16.decode(units.subarray(0, length));
};

/** Undoes what `resolveLetter` does not. Each expression begins with a character that is quick to find. */
const simplify = (text: string): string =>
  fold(text)
    .replace(/!(?<=\p{L}!)(?=\p{L})/gu, 'i')
    .replace(/[\s_*.,;:-]+/g, ' ')
    // Letters that stand apart.
    .replace(/ (?<=(?<!\p{L})\p{L} )(?=\p{L}(?!\p{L}))/gu, '')
    .replace(allowedPhrase, '');

const collectRuns = (text: string): RunCollector => {
  const runs = new RunCollector(text.length);
  forEachCodePoint(text, (codePoint) => runs.add(getLetter(codePoint)));
  return runs;
};

const known = new Map<string, boolean>();
const maxKnown = 500;

/** Whether a text contains an insult or a sexual demand. Takes linear time; the last results are kept. */
export const isInsult = (text: string): boolean => {
  const before = known.get(text);
  if (before !== undefined) return before;
  if (known.size >= maxKnown) known.clear();
  const isFound = insults.isIn(collectRuns(simplify(text)));
  known.set(text, isFound);
  return isFound;
};
