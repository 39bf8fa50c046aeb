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

/** The code of the lower-case ASCII letter that a character looks like, or of the character itself; 0 if it is not ASCII. */
const resolveLetter = (codePoint: number): number => {
  const looksLike = confusables.transform(codePoint) ?? codePoint;
  const code = leet.transform(looksLike) ?? looksLike;
  if (code >= ASCII_SIZE) return 0;
  return code >= 65 && code <= 90 ? code + 32 : code;
};
const asciiLetters = Uint8Array.from({ length: ASCII_SIZE }, (_, codePoint) => resolveLetter(codePoint));

/** Undoes what `resolveLetter` does not: accents, invisible characters, marks inside of words, and letters that stand apart. */
const simplify = (text: string): string =>
  text
    .normalize('NFD')
    .replace(/['’`´\p{M}\p{Cf}]/gu, '')
    .replace(/(?<=\p{L})!(?=\p{L})/gu, 'i')
    .replace(/[\s_*.,;:-]+/g, ' ')
    .replace(/(?<=(?<!\p{L})\p{L}) (?=\p{L}(?!\p{L}))/gu, '')
    .replace(allowedPhrase, '');

const collectRuns = (text: string): RunCollector => {
  const runs = new RunCollector(text.length);
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < ASCII_SIZE) runs.add(asciiLetters[unit]!);
    else {
      const codePoint = text.codePointAt(at)!;
      if (codePoint > 0xffff) at += 1;
      runs.add(resolveLetter(codePoint));
    }
  }
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
