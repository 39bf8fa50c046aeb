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

/**
 * Computes a number below 255 for each character, and remembers those of the characters that one UTF-16 unit encodes.
 */
const remember = (compute: (codePoint: number) => number): ((codePoint: number) => number) => {
  const UNKNOWN = 255;
  const known = new Uint8Array(0x10000).fill(UNKNOWN);
  return (codePoint) => {
    const before = known[codePoint];
    if (before !== undefined && before !== UNKNOWN) return before;
    const value = compute(codePoint);
    // Ignored beyond the end of the array.
    known[codePoint] = value;
    return value;
  };
};
const getLetter = remember(resolveLetter);
const isLeftOut = remember(isIgnored);

/** Calls a function with each character of a text. Faster than an iteration, which creates a string for each. */
const forEachCodePoint = (text: string, visit: (codePoint: number) => void): void => {
  for (let at = 0; at < text.length; at += 1) {
    const codePoint = text.codePointAt(at) ?? 0;
    if (codePoint > 0xffff) at += 1;
    visit(codePoint);
  }
};

const CHUNK = 4_096;

/** Removes the ignored characters. A regular expression takes several times as long where there are many. */
const removeIgnored = (text: string): string => {
  if (!ignored.test(text)) return text;
  const chunks: string[] = [];
  let kept: number[] = [];
  forEachCodePoint(text, (codePoint) => {
    if (isLeftOut(codePoint)) return;
    kept.push(codePoint);
    if (kept.length < CHUNK) return;
    chunks.push(String.fromCodePoint(...kept));
    kept = [];
  });
  return chunks.join('') + String.fromCodePoint(...kept);
};

/** Undoes what `resolveLetter` does not. Each expression begins with a character that is quick to find. */
const simplify = (text: string): string =>
  removeIgnored(text.normalize('NFD'))
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
