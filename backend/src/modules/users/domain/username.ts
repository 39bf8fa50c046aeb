import { limits } from '@thaw/contract/limits';
import { codePointLength, normalizeUsername } from '@thaw/contract/text';

/** Slurs and words that pass for the service itself. A first sieve only: reports deal with the rest. */
const refusedWords = [
  'admin',
  'administrator',
  'moderator',
  'nigger',
  'nigga',
  'faggot',
  'kike',
  'tranny',
  'rapist',
  'pedo',
  'nazi',
  'hitler',
  'cunt',
];

const lookalikes: Readonly<Record<string, string>> = {
  '0': 'o',
  '1': 'i',
  '3': 'e',
  '4': 'a',
  '5': 's',
  '7': 't',
  '@': 'a',
  $: 's',
  '!': 'i',
};

/** Lower case, accents and look-alikes undone. */
const folded = (text: string): string =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[0134577@$!]/g, (character) => lookalikes[character] ?? character);

const holdsRefusedWord = (username: string): boolean => {
  const plain = folded(username);
  const words = plain.split(/[^\p{L}]+/u);
  const spelledOut = plain.replace(/[^\p{L}]+/gu, '');
  return refusedWords.some(
    (word) => words.includes(word) || words.includes(`${word}s`) || spelledOut === word,
  );
};

/** The name as it may be stored; null when it may not (A08). */
export const acceptableUsername = (given: string): string | null => {
  const username = normalizeUsername(given);
  const length = codePointLength(username);
  const isVisible = /[\p{L}\p{N}\p{P}\p{S}]/u.test(username);
  const fits = length >= 1 && length <= limits.usernameMaxCodePoints;
  return fits && isVisible && !holdsRefusedWord(username) ? username : null;
};
